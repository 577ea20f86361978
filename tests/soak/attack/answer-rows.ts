import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin, pause, within } from "./waiting.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const objects = 60_000

/** Answers of tens of megabytes: others are served while they are written. */
async function bigLists(attempt: Attempt): Promise<void> {
  const { admin } = attempt
  let next = 0
  const writer = async () => {
    while (next < objects) await admin.create(configMaps, { metadata: { name: `c-${next++}` }, data: { a: "b".repeat(100) } })
  }
  await Promise.all(Array.from({ length: 64 }, writer))
  await attempt.rebase()
  const accepts = [
    "application/json",
    "application/yaml",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/vnd.kubernetes.protobuf",
  ]
  for (const accept of accepts) {
    const answer = await admin.send({ path: configMaps, headers: { accept } })
    attempt.expectStatus(`${objects} objects as ${accept}`, { ...answer, text: answer.text.slice(0, 200) }, 200, 406, 429)
    await attempt.expectTurns(`${objects} objects as ${accept}`)
    await pause(100)
  }
  for (const query of ["", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"]) {
    const answer = await admin.send({ path: `${configMaps}?watch=1&timeoutSeconds=3${query}` })
    attempt.expectStatus(`${objects} objects as a watch`, { ...answer, text: answer.text.slice(0, 200) }, 200, 429)
    await attempt.expectTurns(`${objects} objects as a watch${query}`)
  }
}

/** Lists that are asked for and never read. */
async function unreadLists({ admin, anonymous, expect }: Attempt): Promise<void> {
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      admin.create(configMaps, { metadata: { name: `c-${index}` }, data: { a: "x".repeat(100_000) } }),
    ),
  )
  for (let count = 0; count < 50; count++) {
    const stream = admin.session().request({ ":path": configMaps })
    stream.on("error", () => {})
    stream.pause()
  }
  await pause(2000)
  expect((await anonymous.send({ path: "/livez" })).status === 200, "that it serves", "that it does not")
}

async function seriesOf({ admin }: Attempt): Promise<readonly string[]> {
  const { text } = await admin.send({ path: "/metrics" })
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
}

/** Some names of users are counted by themselves, as upstream does with all of them: a hundred of one metric. */
const boundedSeries = 130

/** Labels of metrics are not for users to fill. */
async function endlessSeries(attempt: Attempt): Promise<void> {
  const { admin, expect } = attempt
  const jobs = "/apis/batch/v1/namespaces/default/jobs"
  const services = "/api/v1/namespaces/default/services"
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }
  const job = (index: number) => ({
    metadata: { name: `j-${index}` },
    spec: { managedBy: `example.com/${"x".repeat(40)}${index}`, suspend: true, template },
  })
  const service = (index: number) => ({
    metadata: { name: `lb-${index}` },
    spec: { type: "LoadBalancer", selector: { a: "b" }, ports: [{ port: 18_080 }] },
  })
  const round = async (from: number, count: number) => {
    for (let index = from; index < from + count; index++) await admin.create(jobs, job(index))
    for (let index = from; index < from + count; index += 5) await admin.create(services, service(index))
    await pause(1500)
    for (let index = from; index < from + count; index++) await admin.send({ method: "DELETE", path: `${jobs}/j-${index}` })
    for (let index = from; index < from + count; index += 5) await admin.send({ method: "DELETE", path: `${services}/lb-${index}` })
    await pause(1500)
  }
  // The first of each kind brings series that stay by right.
  await round(0, 10)
  const before = await seriesOf(attempt)
  await round(10, 250)
  const isBack = await isTrueWithin(async () => (await seriesOf(attempt)).length <= before.length + boundedSeries, 10_000)
  const known = new Set(before.map((line) => line.slice(0, line.lastIndexOf(" "))))
  const left = (await seriesOf(attempt)).filter((line) => !known.has(line.slice(0, line.lastIndexOf(" "))))
  expect(
    isBack,
    `at most ${boundedSeries} more series after 250 Jobs and 50 balancers came and went`,
    `${left.length}: ${left.slice(0, 3).join(" | ")}`,
  )
}

/** A Service that asks for 127.0.0.1 itself gets another address: what listens there is another program's. */
async function loopbackBalancer({ admin, expect }: Attempt): Promise<void> {
  const other = createServer((_request, response) => response.end("another program")).listen(0, "127.0.0.1")
  await isTrueWithin(() => other.listening, 5000)
  const { port: target } = other.address() as AddressInfo
  const port = 17_890
  await admin.create("/api/v1/namespaces/default/services", {
    metadata: { name: "lb" },
    spec: { type: "LoadBalancer", loadBalancerIP: "127.0.0.1", ports: [{ port }] },
  })
  await admin.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { name: "lb-1", labels: { "kubernetes.io/service-name": "lb" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
    ports: [{ port: target, protocol: "TCP" }],
  })
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1")
      socket.once("connect", () => {
        socket.destroy()
        resolve(true)
      })
      socket.once("error", () => resolve(false))
    })
  expect(!(await isTrueWithin(listens, 4000)), "no balancer on 127.0.0.1", `that port ${port} of it is open`)
  await admin.send({ method: "DELETE", path: "/api/v1/namespaces/default/services/lb" })
  other.closeAllConnections()
  await within(new Promise((resolve) => other.close(resolve)), 2000)
}

/** Nothing of a Secret or a token is in what is served for looking inside. */
async function secretsInside({ admin, up, expect }: Attempt): Promise<void> {
  const secret = "a-word-that-is-nowhere-else"
  const encoded = Buffer.from(secret).toString("base64")
  await admin.create("/api/v1/namespaces/default/secrets", { metadata: { name: "s" }, stringData: { word: secret } })
  await pause(1000)
  const debug = (path: string) => fetch(`${up.facts.discoveryDebug}${path}`).then((response) => response.text())
  const api = async (path: string) => (await admin.send({ path })).text
  const texts = [
    ["/metrics", await api("/metrics")],
    ["/debug/trace", await api("/debug/trace")],
    ["events", await api("/api/v1/events")],
    ["/debug/registryz", await debug("/debug/registryz")],
    ["/debug/configz", await debug("/debug/configz")],
    ["the output", up.program.output],
  ] as const
  for (const [name, text] of texts) expect(!text.includes(secret) && !text.includes(encoded), `no Secret in ${name}`, "one")
}

/** What the server gives out, and what users make it give out. */
export const answerRows: readonly Row[] = [
  { number: 22, name: `${objects} objects in every format`, server: "up", memory: 40, attempt: bigLists },
  { number: 25, name: "metrics of objects that are gone", server: "up", attempt: endlessSeries },
  { number: 26, name: "a balancer on 127.0.0.1", server: "up", attempt: loopbackBalancer },
  { number: 111, name: "50 lists of 4 MB that are not read", server: "up", attempt: unreadLists },
  { number: 112, name: "Secrets in metrics, traces and events", server: "up", attempt: secretsInside },
]
