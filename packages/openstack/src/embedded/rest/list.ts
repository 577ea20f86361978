import { type Query, queryValue } from "@pilothouse/seams"

type Row = { readonly id: string }

/** These say how to list, not what. */
const notAttributes: ReadonlySet<string> = new Set([
  "limit",
  "marker",
  "fields",
  "sort_key",
  "sort_dir",
  "page_reverse",
  "tags",
  "tags-any",
  "not-tags",
])

export interface ListPlace {
  /** "ports" */
  readonly many: string
  /** "http://neutron.embedded/v2.0/ports" */
  readonly url: string
  /** An attribute that has to be looked up in another way. */
  matches?(row: Row, name: string, requested: readonly string[]): boolean | undefined
}

/** One page of rows: those that match every attribute of the query, from the marker on, with the wanted fields. */
export function listPage(rows: Iterable<Row>, query: Query, place: ListPlace): unknown {
  const found = [...rows].filter((row) => matchesAll(row, query, place))
  const marker = queryValue(query, "marker")
  const start = marker === undefined ? 0 : found.findIndex((row) => row.id === marker) + 1
  const limit = Number(queryValue(query, "limit") ?? found.length)
  const page = found.slice(start, start + limit)
  const last = page.at(-1)
  const more = last !== undefined && start + limit < found.length
  const links = more ? [{ rel: "next", href: `${place.url}?limit=${limit}&marker=${last.id}` }] : []
  const fields = toValues(query.fields)
  return { [place.many]: page.map((row) => withFields(row, fields)), ...(links.length > 0 ? { [`${place.many}_links`]: links } : {}) }
}

export function withFields(row: Row, fields: readonly string[]): unknown {
  if (fields.length === 0) return row
  return Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)))
}

export function toValues(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}

function matchesAll(row: Row, query: Query, place: ListPlace): boolean {
  return (
    tagsMatch(row, query) &&
    Object.entries(query).every(([name, value]) => notAttributes.has(name) || matchesOne(row, name, toValues(value), place))
  )
}

function matchesOne(row: Row, name: string, requested: readonly string[], place: ListPlace): boolean {
  const special = place.matches?.(row, name, requested)
  if (special !== undefined) return special
  const found = (row as Record<string, unknown>)[name === "tenant_id" ? "project_id" : name]
  const texts = Array.isArray(found) ? found.map(String) : [found === null ? "" : String(found)]
  return requested.some((one) => texts.some((text) => text === one || text.toLowerCase() === one.toLowerCase()))
}

function tagsMatch(row: Row, query: Query): boolean {
  const tags = new Set((row as { tags?: readonly string[] }).tags)
  const queryTags = (name: string) => toValues(query[name]).flatMap((value) => value.split(","))
  const any = queryTags("tags-any")
  const not = queryTags("not-tags")
  return (
    queryTags("tags").every((tag) => tags.has(tag)) &&
    (any.length === 0 || any.some((tag) => tags.has(tag))) &&
    (not.length === 0 || !not.every((tag) => tags.has(tag)))
  )
}
