import { at, patch, post, put, type Row } from "../row.ts"

const newer = at("events/events")
const older = at("events")
const good = {
  eventTime: "2024-01-02T03:04:05.123456Z",
  type: "Normal",
  reason: "Tested",
  action: "Testing",
  reportingController: "example.com/judge",
  reportingInstance: "one",
  regarding: { kind: "Pod", name: "p", namespace: "default" },
}
const bad = (name: string, part: object): Row => post(`events.k8s.io: ${name}`, newer, { metadata: { name: "bad" }, ...good, ...part })
const old = (name: string, part: object): Row =>
  post(`events: ${name}`, older, { metadata: { name: "bad" }, involvedObject: { kind: "Pod", name: "p", namespace: "default" }, ...part })
const change = (name: string, part: object): Row => patch(`events.k8s.io: ${name}`, `${newer}/made`, "merge", part)
const series = { count: 2, lastObservedTime: "2024-01-02T03:04:06.000000Z" }

/** The two forms of events, and how strict each is. */
export const events: readonly Row[] = [
  bad("no time", { eventTime: null }),
  bad("a type of its own", { type: "Odd" }),
  bad("no type", { type: null }),
  bad("no action", { action: null }),
  bad("no reason", { reason: "" }),
  bad("no controller", { reportingController: null }),
  bad("a controller with a bad name", { reportingController: "a b" }),
  bad("no instance", { reportingInstance: null }),
  bad("long words", { action: "a".repeat(129), reason: "r".repeat(129), reportingInstance: "i".repeat(129), note: "n".repeat(1025) }),
  bad("a series of one", { series: { count: 1 } }),
  bad("what the older form says", {
    deprecatedCount: 1,
    deprecatedSource: { host: "h" },
    deprecatedFirstTimestamp: "2024-01-02T03:04:05Z",
  }),
  bad("the last time of the older form", { deprecatedLastTimestamp: "2024-01-02T03:04:05Z" }),
  bad("another namespace", { regarding: { kind: "Pod", namespace: "elsewhere" } }),
  bad("a bad name", { metadata: { name: "Bad_Name" } }),
  bad("of the cluster", { metadata: { name: "node" }, regarding: { kind: "Node", name: "n" } }),
  old("a bad name", { metadata: { name: "Bad_Name" } }),
  old("another namespace", { involvedObject: { namespace: "elsewhere" } }),
  old("a time, and nothing that goes with it", { eventTime: "2024-01-02T03:04:05.123456Z" }),
  old("a type of its own", { metadata: { name: "odd" }, type: "Odd" }),
  post("an event to work with", newer, { metadata: { name: "made" }, ...good }),
  change("a series", { series }),
  change("a series of one", { series: { count: 1 } }),
  change("another type and reason", { type: "Warning", reason: "Other" }),
  change("about another", { regarding: { name: "q" } }),
  change("with another", { related: { kind: "Node", name: "n" } }),
  change("another note", { note: "n" }),
  change("another time", { eventTime: "2024-01-02T03:04:07.000000Z" }),
  change("another source", { deprecatedSource: { component: "c" } }),
  change("another count and time", { deprecatedCount: 3, deprecatedFirstTimestamp: "2024-01-02T03:04:05Z" }),
  change("another action, controller and instance", { action: "B", reportingController: "example.com/other", reportingInstance: "two" }),
  patch("events: another type", `${older}/made`, "merge", { type: "Warning" }),
  put("events: replaced by nearly nothing", `${older}/made`, { metadata: { name: "made" }, involvedObject: { namespace: "default" } }),
]
