import {
  expired,
  forbidden,
  internalError,
  invalid,
  type KubeObject,
  notFound,
  resourceVersionTooLarge,
  StatusError,
  serviceUnavailable,
  tooManyRequests,
} from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { afterFailure, type Failing, type FailureFacts, rejectsStreams } from "./after-failure.ts"
import type { WatcherState } from "./watcher-state.ts"

const things = { group: "", plural: "things" } as never
const lost = new PilothouseError("CONNECTION_LOST", "reset")
const garbage = new PilothouseError("PROTOCOL", "not JSON")
const stream = (resourceVersion: string, broken = 0) => ({ at: "stream", resourceVersion, broken }) as const
const list = (resourceVersion: string) => ({ at: "list", resourceVersion }) as const
const watch = (resourceVersion: string, failures = 0) => ({ at: "watch", resourceVersion, failures }) as const
const probe = (resourceVersion: string) => ({ at: "probe", resourceVersion }) as const
const wait = (before: Failing<KubeObject>, atLeast = 0) => ({ at: "wait", before, atLeast }) as const

const defaults: FailureFacts = { streams: true, known: "7", short: false }
const paged: FailureFacts = { ...defaults, streams: false }
const fresh: FailureFacts = { ...defaults, known: undefined }
const short: FailureFacts = { ...defaults, short: true }

const table: readonly [string, Failing<KubeObject>, unknown, FailureFacts, WatcherState<KubeObject>][] = [
  [
    "a first stream that is refused becomes a list of whatever the cache has",
    stream(""),
    invalid({ group: "", kind: "Thing" } as never, "", []),
    fresh,
    list("0"),
  ],
  ["a later stream that is refused becomes a list of the same version", stream("7"), forbidden(things, "", "no"), defaults, list("7")],
  ["a stream that is too late asks for the newest at once", stream("7"), expired("gone"), defaults, stream("")],
  ["a stream of the newest that is too late waits", stream(""), expired("gone"), defaults, wait(stream(""))],
  ["a stream from the future asks for the newest at once", stream("7"), resourceVersionTooLarge("7", "2"), defaults, stream("")],
  ["a stream that is refused for the moment waits", stream(""), serviceUnavailable("busy"), fresh, wait(stream("", 1))],
  ["a stream that is refused for the moment again becomes a list", stream("", 1), serviceUnavailable("busy"), fresh, wait(list("0"))],
  ["a stream that a server cannot make becomes a list", stream("7", 1), internalError("no cache"), defaults, wait(list("7"))],
  [
    "a stream that is too much for the server waits, and stays a stream",
    stream("", 1),
    tooManyRequests("busy"),
    fresh,
    wait(stream("", 1)),
  ],
  ["a server cannot ask for hours of silence", watch("7"), tooManyRequests("busy", 86_400), defaults, wait(watch("7"), 300_000)],
  ["a stream that breaks is asked for again", stream(""), lost, fresh, wait(stream("", 1))],
  ["a stream that breaks again becomes a list", stream("", 1), lost, fresh, wait(list("0"))],
  ["a stream that breaks again after 410 becomes a list of the newest", stream("", 1), lost, defaults, wait(list(""))],
  ["a list that is too late asks for the newest at once", list("7"), expired("gone"), paged, list("")],
  ["a list from the future asks for the newest at once", list("7"), resourceVersionTooLarge("7", "2"), paged, list("")],
  ["a list of the newest that is too late waits", list(""), expired("gone"), paged, wait(list(""))],
  ["a list that is forbidden waits: it may be allowed later", list("0"), forbidden(things, "", "no"), paged, wait(list("0"))],
  ["a list of an unknown kind waits: it may be installed later", list("0"), notFound(things, ""), paged, wait(list("0"))],
  ["a list that breaks waits", list("0"), lost, paged, wait(list("0"))],
  ["a watch that is too late streams the newest at once", watch("7"), expired("gone"), defaults, stream("")],
  ["a watch that is too late lists the newest at once", watch("7"), expired("gone"), paged, list("")],
  ["a watch that is too late as soon as it opens waits first", watch("7"), expired("gone"), short, wait(stream(""))],
  ["a watch that breaks waits, and asks how far the server is", watch("7"), lost, defaults, wait(probe("7"))],
  ["429 waits as long as it says, and watches again", watch("7"), tooManyRequests("busy", 3), defaults, wait(watch("7"), 3000)],
  ["503 waits, and watches again", watch("7"), serviceUnavailable("busy"), defaults, wait(watch("7"))],
  ["500 waits, and watches again", watch("7"), internalError("oh"), defaults, wait(watch("7", 1))],
  ["500 for the fifth time lists", watch("7", 4), internalError("oh"), defaults, wait(stream("7"))],
  ["a watch that is forbidden lists where it was", watch("7"), forbidden(things, "", "no"), paged, wait(list("7"))],
  ["a watch of garbage lists where it was", watch("7"), garbage, defaults, wait(stream("7"))],
  ["a handler's own error lists where it was", watch("7"), new Error("bug"), defaults, wait(stream("7"))],
  ["a probe that breaks is asked again", probe("7"), lost, defaults, wait(probe("7"))],
  ["a probe that is refused for the moment is asked again", probe("7"), serviceUnavailable("busy"), defaults, wait(probe("7"))],
  ["a probe that is refused for good lists", probe("7"), forbidden(things, "", "no"), defaults, wait(stream("7"))],
]

test.each(table)("%s", (_name, state, error, facts, next) => {
  expect(afterFailure(state, error, facts)).toEqual(next)
})

test("servers before 1.18 say in words that a version is too large", () => {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code: 504,
    reason: "Timeout",
    message: "Too large resource version: 9",
  } as const
  expect(afterFailure(list("9"), new StatusError(status), paged)).toEqual(list(""))
})

test("only a refusal of the request itself says that a server knows no streams", () => {
  expect([400, 405, 406, 415, 422, 401, 403, 404, 429, 500, 503].filter((code) => rejectsStreams(failed(code)))).toEqual([
    400, 405, 406, 415, 422,
  ])
})

function failed(code: number): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code })
}
