import type { Draw } from "./draw.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"

const keys = ["app", "tier", "zone", "test.io/version", "Count", "empty"]
const values = ["web", "db", "a", "b", "1", "10", "-3", "007", ""]

export function drawLabels(draw: Draw): Record<string, string> {
  return Object.fromEntries(
    draw
      .some(keys, 4)
      .map((key) => [key, key === "Count" ? String(draw.int(0, 12)) : draw.pick(values.filter((value) => !value.startsWith("-")))]),
  )
}

/** One in seven is spoiled by a character too many or too few. */
export function drawLabelSelector(draw: Draw): string {
  const text = draw.times(0, 3, () => drawRequirement(draw)).join(draw.pick([",", ",", ", ", " , "]))
  return draw.chance(0.15) ? spoiled(draw, text) : text
}

function drawRequirement(draw: Draw): string {
  const key = draw.chance(0.04) ? draw.pick(["-bad", "a/b/c", "x".repeat(64), "UPPER.io/x", "test.io/", "in", "notin"]) : draw.pick(keys)
  const value = () => (draw.chance(0.04) ? draw.pick(["-bad-", "with space", "v".repeat(64), "in", "ü"]) : draw.pick(values))
  const list = () => draw.times(0, 3, value).join(draw.pick([",", ", "]))
  switch (draw.pick(["=", "==", "!=", "in", "notin", "exists", "!", ">", "<"] as const)) {
    case "exists":
      return key
    case "!":
      return `!${key}`
    case "in":
      return `${key} in (${list()})`
    case "notin":
      return `${key} notin (${list()})`
    case ">":
      return `${key}>${value()}`
    case "<":
      return `${key} < ${value()}`
    case "==":
      return `${key}==${value()}`
    case "!=":
      return `${key} != ${value()}`
    case "=":
      return `${key}=${value()}`
  }
}

function spoiled(draw: Draw, text: string): string {
  const at = draw.int(0, text.length)
  const inserted = draw.pick(["", "(", ")", ",", "!", "=", "==", "<", " in ", "\t", "\\", ";", "&", "é"])
  return `${text.slice(0, at)}${inserted}${text.slice(inserted === "" ? at + 1 : at)}`
}

/** What a pod lets select, as the server reads it from the object. */
export const selectableFields: Readonly<Record<string, (pod: JsonObject) => string>> = {
  "metadata.name": (pod) => part(pod, "metadata", "name"),
  "metadata.namespace": (pod) => part(pod, "metadata", "namespace"),
  "spec.nodeName": (pod) => part(pod, "spec", "nodeName"),
  "spec.restartPolicy": (pod) => part(pod, "spec", "restartPolicy"),
  "spec.schedulerName": (pod) => part(pod, "spec", "schedulerName"),
  "spec.serviceAccountName": (pod) => part(pod, "spec", "serviceAccountName"),
  "spec.hostNetwork": (pod) => part(pod, "spec", "hostNetwork") || "false",
  "status.phase": (pod) => part(pod, "status", "phase"),
  "status.podIP": () => "",
  "status.podIPs": () => "",
  "status.nominatedNodeName": () => "",
}

function part(object: JsonObject, first: string, second: string): string {
  const holder = object[first]
  return isRecord(holder) && holder[second] !== undefined ? String(holder[second]) : ""
}

const fieldValues = [
  "pod-1",
  "pod-7",
  "selected",
  "n1",
  "n2",
  "",
  "Always",
  "Never",
  "mine",
  "default-scheduler",
  "Pending",
  "true",
  "false",
]

export function drawFieldSelector(draw: Draw): string {
  const text = draw.times(0, 3, () => drawFieldTerm(draw)).join(",")
  return draw.chance(0.15) ? spoiled(draw, text) : text
}

function drawFieldTerm(draw: Draw): string {
  const field = draw.chance(0.05)
    ? draw.pick(["spec.unknown", "metadata.labels", "", "spec.nodename"])
    : draw.pick(Object.keys(selectableFields))
  const value = draw.chance(0.1) ? draw.pick(["a\\,b", "a\\=b", "a\\\\b", "a\\xb", "a\\", "a=b", "a!b"]) : draw.pick(fieldValues)
  return `${field}${draw.pick(["=", "==", "!="])}${value}`
}
