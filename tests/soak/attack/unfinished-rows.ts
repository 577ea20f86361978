import type { OutgoingHttpHeaders } from "node:http2"
import { peakGrowth, watchResident } from "./resident.ts"
import type { Attempt, Row } from "./row.ts"
import { serviceAccountToken } from "./service-account.ts"
import { isTrueWithin, pause } from "./waiting.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"

/** Sends 1,000 requests over 25 connections, of which none ends its body. Returns the statuses of those that are answered. */
async function startBodies({ anonymous }: Attempt, path: string, headers: OutgoingHttpHeaders): Promise<readonly number[]> {
  const answered: number[] = []
  for (let connection = 0; connection < 25; connection++) {
    const session = anonymous.session()
    for (let count = 0; count < 40; count++) {
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json", ...headers })
      stream.on("error", () => {})
      stream.once("response", (head) => answered.push(Number(head[":status"])))
      stream.resume()
      stream.write(`{"metadata":{"name":"x"},"data":{"a":"${"x".repeat(100_000)}`)
    }
  }
  await pause(2000)
  return answered
}

/** A known user that never finishes what it sends: some are refused, others are still served. */
async function knownBodies(attempt: Attempt): Promise<void> {
  const { anonymous, expect } = attempt
  const authorization = `Bearer ${await serviceAccountToken(attempt, "edit")}`
  const stop = watchResident(attempt)
  const answered = await startBodies(attempt, configMaps, { authorization })
  expect((await anonymous.send({ path: "/livez" })).status === 200, "/livez to be answered meanwhile", "that it is not")
  const others = answered.filter((status) => status !== 429 && status !== 503 && status !== 413)
  expect(answered.length > 0 && others.length === 0, "some of 1,000 unfinished writes at once to be refused with 429", answered.slice(0, 5))
  const grown = stop()
  expect(grown < peakGrowth, `the process to grow by less than ${peakGrowth} MB`, `${grown.toFixed(0)} MB`)
}

/** A client without rights is refused before its body is read: it takes neither memory nor the room of those that write. */
async function unknownBodies(attempt: Attempt): Promise<void> {
  const { anonymous, admin, expect, expectStatus } = attempt
  const headers = { authorization: `Bearer ${await serviceAccountToken(attempt, "edit")}` }
  const stop = watchResident(attempt)
  for (const path of [configMaps, "/api/v1/namespaces/default/pods/p/proxy/", "/api/v1/namespaces/default/pods/p/exec"]) {
    const answered = await startBodies(attempt, path, {})
    const isWhole = await isTrueWithin(() => answered.length === 1000, 20_000)
    const others = answered.filter((status) => status !== 403)
    expect(isWhole && others.length === 0, `1,000 writes of ${path} to be refused with 403`, {
      answered: answered.length,
      others: others.slice(0, 5),
    })
    const written = await anonymous.send({ method: "POST", path: configMaps, headers, body: { metadata: { generateName: "other-" } } })
    expectStatus("a write of another user meanwhile", written, 201)
  }
  expectStatus("a request of the administrator", await admin.send({ path: configMaps }), 200)
  const grown = stop()
  expect(grown < peakGrowth, `the process to grow by less than ${peakGrowth} MB`, `${grown.toFixed(0)} MB`)
}

export const unfinishedRows: readonly Row[] = [
  { number: 23, name: "1,000 unfinished bodies at once", server: "up", attempt: knownBodies },
  { number: 65, name: "3,000 unfinished bodies at once, anonymous", server: "up", attempt: unknownBodies },
]
