import { isRecord, type JsonObject } from "./objects/object.ts"

/** Two answers to the same request differ in these. */
const serverSet = ["managedFields", "resourceVersion", "uid", "creationTimestamp"]

/** An object without what the server sets each time. */
export function comparable(object: unknown): unknown {
  if (!isRecord(object) || !isRecord(object.metadata)) return object
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !serverSet.includes(key)))
  return withoutChance({ ...object, metadata }, object.metadata.uid)
}

/** A Job's labels and selector hold its uid; other times than creation are set as well. The samples' own times are all of 2024. */
function withoutChance(value: unknown, uid: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/"20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z"/g, '"<now>"')
  return JSON.parse(typeof uid === "string" && uid !== "" ? text.replaceAll(uid, "<uid>") : text)
}

/** Where two values differ first: undefined when they are equal. Keys may stand in any order. */
export function difference(theirs: unknown, ours: unknown, path = ""): string | undefined {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (theirs.length !== ours.length) return at(path, theirs, ours)
    return firstOf(
      theirs.map((_, index) => String(index)),
      (key) => difference(theirs[Number(key)], ours[Number(key)], `${path}[${key}]`),
    )
  }
  if (isRecord(theirs) && isRecord(ours)) {
    const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].sort()
    return firstOf(keys, (key) => difference(theirs[key], ours[key], `${path}.${key}`))
  }
  return Object.is(theirs, ours) ? undefined : at(path, theirs, ours)
}

function firstOf(keys: readonly string[], find: (key: string) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key)
    if (found !== undefined) return found
  }
  return undefined
}

function at(path: string, theirs: unknown, ours: unknown): string {
  return `${path || "it"}: the server has ${JSON.stringify(theirs) ?? "nothing"}, ours is ${JSON.stringify(ours) ?? "nothing"}`
}

export function messageIn(status: unknown): string {
  return isRecord(status) && typeof status.message === "string" ? status.message : JSON.stringify(status)
}

export function causesIn(status: unknown): readonly JsonObject[] {
  const details = isRecord(status) && isRecord(status.details) ? status.details : {}
  return Array.isArray(details.causes) ? details.causes.filter(isRecord) : []
}

/** Validation walks Go's maps in any order: of several causes neither the order nor the message that joins them is the same twice. */
export function withoutOrder(status: unknown): unknown {
  const causes = causesIn(status)
  if (causes.length < 2 || !isRecord(status)) return status
  return { reason: status.reason, causes: causes.map(({ field, message }) => `${field} ${message}`).sort() }
}
