import { causesIn, difference } from "../api/comparable.ts"
import { isRecord, type JsonObject } from "../api/objects/object.ts"
import type { ApiAnswer } from "../api-client.ts"

/**
 * Where two answers to one request differ first; undefined when they are equal but for what chance and time have put in. `withRefused` compares
 * the warnings of refusals too.
 */
export function answerDifference(theirs: ApiAnswer, ours: ApiAnswer, { withRefused = false } = {}): string | undefined {
  const found = difference(readable(theirs, withRefused), readable(ours, withRefused))
  return found && `${found}\nthe server: ${shown(theirs)}\nours: ${shown(ours)}`
}

function shown({ status, bytes, warnings }: ApiAnswer): string {
  return [String(status), ...warnings, bytes.toString().slice(0, 3000)].join(" ")
}

/** Warnings that one of the two has alone: upstream's about the content of pod templates, drivers and deprecated kinds, ours about what has no effect. */
const known =
  /is stored but has no effect|template\.spec\.|spec\.(?:topologySpread|volumes|containers|dnsConfig)|serviceAccountTokenInSecrets|deprecated/

function readable({ status, value, warnings }: ApiAnswer, withRefused: boolean): unknown {
  const body = status < 300 ? comparableObject(value) : withoutOrder(withoutNumbers(value))
  // One header may hold several: upstream writes a header for each.
  const texts = warnings.flatMap((text) => text.split(/, (?=299 - )/))
  // Of most refusals ours has none: clients show the refusal.
  return { status, body, warnings: status < 400 || withRefused ? texts.filter((text) => !known.test(text)).sort() : [] }
}

/** Set by chance or from the clock; the name of what stands there instead. */
const placeholders: Readonly<Record<string, string>> = {
  uid: "<uid>",
  resourceVersion: "<version>",
  nodePort: "<port>",
  healthCheckNodePort: "<port>",
}

function comparableObject(object: unknown): unknown {
  if (!isRecord(object) || !isRecord(object.metadata)) return object
  const { managedFields, ...metadata } = object.metadata
  const { uid } = metadata
  const text = JSON.stringify({ ...object, metadata }, (key, value) => (placeholders[key] === undefined ? value : placeholders[key]))
  const even = text.replaceAll(/"20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z"/g, '"<now>"').replaceAll(/"10\.0\.\d+\.\d+"/g, '"<address>"')
  const rest = JSON.parse(typeof uid === "string" && uid !== "" ? even.replaceAll(uid, "<uid>") : even)
  return { ...rest, managedFields: comparableEntries(managedFields) }
}

/** Entries stand in the order of their times: whether that holds is compared, not the order itself. A time is there or not. */
export function comparableEntries(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries
  const keys = entries.map(sortKey)
  const inOrder = keys.every((key, index) => index === 0 || keys[index - 1]! <= key)
  const timeless = entries.map((entry) => (entry.time === undefined ? entry : { ...entry, time: "<time>" }))
  return { inOrder, entries: timeless.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) }
}

function sortKey({ operation, time = "", manager = "", apiVersion, subresource = "" }: JsonObject): string {
  return [operation, time, manager, apiVersion, subresource].join("\0")
}

/** Revisions and uids differ from server to server. */
function withoutNumbers(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null"
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "<uid>")
      .replaceAll(/20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z/g, "<now>")
      .replaceAll(/10\.0\.\d+\.\d+/g, "<address>")
      // The document that a patch made: its fields stand in another order.
      .replaceAll(/Invalid value: \\"\{\\\\\\"(?:apiVersion|kind)\\.*?\}\\": /g, "Invalid value: <document>: ")
      .replaceAll(/(resourceVersion\\*":\\*")\d+/g, "$1<n>")
      .replaceAll(/((?:resourceVersion|version|ResourceVersion): |in record \(|in object meta: )\d+/g, "$1<n>"),
  )
}

/** Of several causes neither the order nor the message that joins them is the same twice, and on updates upstream says some twice. */
function withoutOrder(status: unknown): unknown {
  const causes = causesIn(status).map((cause) => JSON.stringify(cause))
  if (!isRecord(status) || causes.length === 0) return status
  const { message, details, ...rest } = status
  const pieces = String(message)
    .replace(/ is invalid: \[?/, " is invalid:, ")
    .replace(/\]$/, "")
    .split(/\n|, /)
  return { ...rest, message: [...new Set(pieces)].sort(), details: { ...(details as object), causes: [...new Set(causes)].sort() } }
}
