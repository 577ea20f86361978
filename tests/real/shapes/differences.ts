import { isRecord } from "../api/objects/object.ts"

/** Every place where two values differ, as a line each; a field that is null is another than one that is not there. */
export function differences(theirs: unknown, ours: unknown, path = ""): readonly string[] {
  if (Array.isArray(theirs) && Array.isArray(ours) && theirs.length === ours.length)
    return theirs.flatMap((item, index) => differences(item, ours[index], `${path}[${index}]`))
  if (isRecord(theirs) && isRecord(ours)) {
    const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].sort()
    return keys.flatMap((key) => differences(theirs[key], ours[key], `${path}.${key}`))
  }
  return Object.is(theirs, ours) ? [] : [`${path}: the server has ${shown(theirs)}, ours is ${shown(ours)}`]
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 600) ?? "nothing"
}
