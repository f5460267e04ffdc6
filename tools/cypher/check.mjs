// Formats and lints the files in cypher/.
//
//   node check.mjs          say what is wrong, as file:line; exit 1 if anything is
//   node check.mjs --fix    rewrite the files that are not formatted, then say what is left
//
// The comments at the head of a file stay as they are; the statement below them is formatted.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { allCypherVersions, formatQuery, lintCypherQuery } from "@neo4j-cypher/language-support";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COLUMNS = { maxColumn: 100 };

const fix = process.argv.includes("--fix");
let problems = 0;

function report(file, line, message) {
  problems += 1;
  console.error(`${file}:${line}: ${message}`);
}

function read(file) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const head = text.match(/^(?:\/\/.*\n)*/)[0];
  const declared = (key) => {
    const names = head.match(new RegExp(`@${key}\\s+([^@\\n]*)`));
    return names ? names[1].split(",").map((name) => name.trim()) : [];
  };
  const lines = head.split("\n").length - 1;
  return { file, head, lines, statement: text.slice(head.length), declared };
}

function format({ file, head, lines, statement }) {
  const formatted = tidy(formatQuery(statement, COLUMNS).formattedQuery.trimEnd() + "\n");
  if (formatted === statement) return;
  if (bare(formatted) !== bare(statement)) {
    report(file, lines + 1, "formatting would change more than spaces and the case of keywords");
  } else if (fix) {
    writeFileSync(join(ROOT, file), head + formatted);
    console.log(`formatted ${file}`);
  } else {
    const [old, wanted] = [statement.split("\n"), formatted.split("\n")];
    const at = wanted.findIndex((line, number) => line !== old[number]);
    report(file, lines + 1 + Math.max(at, 0), "not formatted; run `node check.mjs --fix`");
  }
}

// The formatter leaves spaces where no reader expects one.
function tidy(text) {
  return text
    .replace(/: \$ \(/g, ":$(")
    .replace(/\b(SET|REMOVE) (\w+) :/g, "$1 $2:")
    .replace(/ \](?=[[,\s]|$)/gm, "]")
    .replace(/, - (?=\w)/g, ", -");
}

const bare = (text) => text.replace(/\s+/g, "").toLowerCase();

// A database's default language may be either version, so a file must be right in both.
function lint({ file, lines, statement, declared }) {
  const bound = declared("continues");
  const names = [...declared("params"), ...bound];
  const parameters = Object.fromEntries(names.map((name) => [name, {}]));
  const whole = complete(statement, bound);
  const seen = new Set();
  for (const defaultLanguage of allCypherVersions) {
    for (const { message, range } of lintCypherQuery(whole, { parameters, defaultLanguage }).diagnostics) {
      const line = lines + 1 + range.start.line - (bound.length ? 1 : 0);
      if (!seen.has(line + message)) report(file, line, message);
      seen.add(line + message);
    }
  }
}

// What goes on from another query is given the variables it starts from; what the user's text goes on
// from is given an end.
function complete(statement, bound) {
  if (!bound.length) return statement;
  const start = `WITH ${bound.map((name) => `$${name} AS ${name}`).join(", ")}\n`;
  const end = /\bRETURN\b/.test(statement) ? "" : "RETURN 1\n";
  return start + statement + end;
}

const files = readdirSync(join(ROOT, "cypher"), { recursive: true })
  .filter((name) => name.endsWith(".cypher"))
  .map((name) => relative(ROOT, join(ROOT, "cypher", name)))
  .sort();
for (const file of files) {
  format(read(file));
  lint(read(file));
}
if (!files.length) report("cypher", 0, "no files found");
process.exit(problems ? 1 : 0);
