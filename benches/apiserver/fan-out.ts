import { type ClientHttp2Session, connect } from "node:http2"
import { setTimeout as delay } from "node:timers/promises"
import type { Row } from "../bench.ts"
import { withoutGoal } from "../beside.ts"
import { configMap } from "./creates.ts"
import { adminToken } from "./load-client.ts"
import { inTurn, medians, type Pair, sidesIn } from "./pair.ts"
import type { RunningServer } from "./server.ts"

const connections = 10
const watchesEach = 100
const changes = 9
const path = "/api/v1/namespaces/kube-public/configmaps"

/** How long until 1,000 watchers have received one change? */
export async function fanOut(pair: Pair, ca: string): Promise<readonly Row[]> {
  await using ours = await watchers(pair.ours, ca)
  await using theirs = pair.theirs && (await watchers(pair.theirs, ca))
  const numbers = medians(await inTurn(sidesIn(pair), changes, (side, round) => ({ ours, theirs })[side]!.timeOf(`change-${round}`)))
  return [withoutGoal("one change told to 1,000 watchers", "ms", numbers)]
}

interface Watchers extends AsyncDisposable {
  /** Milliseconds from the request to the last watcher. */
  timeOf(name: string): Promise<number>
}

/** HTTP/2 with a hundred watches on a connection, as client-go has them. */
async function watchers(server: RunningServer, ca: string): Promise<Watchers> {
  let told = 0
  let all = () => {}
  const onEvent = () => {
    if (++told === connections * watchesEach) all()
  }
  const sessions = Array.from({ length: connections }, () => connect(`https://127.0.0.1:${server.port}`, { ca }))
  await Promise.all(sessions.flatMap((session) => Array.from({ length: watchesEach }, () => watch(session, onEvent))))
  // A watch on an empty collection says nothing; what it said at its start must not be counted.
  await delay(500)
  return {
    async timeOf(name) {
      told = 0
      const everyone = new Promise<void>((resolve) => {
        all = resolve
      })
      const started = performance.now()
      await server.client.expect(201, { verb: "POST", path, body: configMap(name) })
      await everyone
      return performance.now() - started
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy()
    },
  }
}

/** Resolves when the answer has begun. */
function watch(session: ClientHttp2Session, onEvent: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":path": `${path}?watch=true&fieldSelector=metadata.name!%3Dkube-root-ca.crt`,
      authorization: `Bearer ${adminToken}`,
    })
    stream.on("response", (headers) =>
      headers[":status"] === 200 ? resolve() : reject(new Error(`a watch was answered ${headers[":status"]}`)),
    )
    // One change is one line.
    stream.on("data", (chunk: Buffer) => chunk.includes(10) && onEvent())
    stream.on("error", reject)
    stream.end()
  })
}
