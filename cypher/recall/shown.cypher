// The visible ones among candidates that may be shown: not those that come wholly from the window
// @continues record, current  @params kinds, history, window  @mode read
WITH record, current
WHERE
  ($history OR current) AND
  record.kind IN $kinds AND
  any(source IN record.sourceIds WHERE NOT source IN $window)
RETURN collect(record) AS shown
