// Words of the records, and the tokens that say whose they are
// The analyzer cuts Chinese, Japanese and Korean into pairs of characters, all else into words.
// @mode schema
CREATE FULLTEXT INDEX record_text IF NOT EXISTS
FOR (record:Record)
ON EACH [record.text, record.tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}
