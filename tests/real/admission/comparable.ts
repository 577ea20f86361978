import type { ApiAnswer } from "../api-client.ts"

/** Fields whose values each server draws for itself. */
const drawn: ReadonlySet<string> = new Set(["uid", "resourceVersion", "creationTimestamp", "time", "deletionTimestamp"])

/** A value without what differs between two servers by chance; members by name. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value === "string") return withoutChance(value)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !drawn.has(key))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, comparable(member)]),
  )
}

/** Generated names, and the uid of a review. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/^g-[a-z0-9]{5}$|(?<=")g-[a-z0-9]{5}(?=")/g, "g-<name>")
}

const names =
  /^apiserver_((validating|mutating)_admission_policy_check_(total|duration_seconds_count)|admission_(webhook_(request_total|rejection_count|fail_open_count|admission_duration_seconds_count)|match_condition_(exclusions|evaluation_errors)_total))\{/

/** The series of admission webhooks and policies with their values, labels by name. */
export function metricLines({ bytes }: Pick<ApiAnswer, "bytes">): ReadonlyMap<string, string> {
  const lines = bytes
    .toString()
    .split("\n")
    .filter((line) => names.test(line))
  return new Map(
    lines.map((line) => {
      const [series = "", value = ""] = [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]
      const [name = "", labels = ""] = [series.slice(0, series.indexOf("{")), series.slice(series.indexOf("{") + 1, -1)]
      return [
        `${name}{${labels
          .split(/,(?=[a-z_]+=")/)
          .sort()
          .join(",")}}`,
        value,
      ]
    }),
  )
}
