import { type Attempt, type Row, refusals } from "./row.ts"
import { pause } from "./waiting.ts"
import { statusesIn } from "./wire.ts"

const pods = "/api/v1/namespaces/default/pods"

function podWith(name: string, container: object): object {
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "i", ...container }] } }
}

/** Texts that used to be read in more than linear time where a quantity belongs. */
const quantities: readonly (readonly [name: string, text: string])[] = [
  ["250 zeros", `${"0".repeat(250)}x`],
  ["1,000 zeros", `${"0".repeat(1000)}x`],
  ["100,000 zeros", `${"0".repeat(100_000)}x`],
  ["60,000 spaces", `1${" ".repeat(60_000)}x`],
  ["zeros and a point", `${"0".repeat(500)}.${"0".repeat(500)}x`],
  ["a million digits", `${"9".repeat(500_000)}.${"9".repeat(500_000)}`],
  ["a huge exponent", "1e999999999"],
]

/** Every place of a quantity that is read on its way in. */
const places: readonly (readonly [path: string, object: (quantity: string) => object])[] = [
  [pods, (quantity) => podWith("q", { resources: { limits: { memory: quantity } } })],
  ["/api/v1/namespaces/default/resourcequotas", (quantity) => ({ metadata: { name: "q" }, spec: { hard: { cpu: quantity } } })],
  [
    "/api/v1/namespaces/default/limitranges",
    (quantity) => ({ metadata: { name: "q" }, spec: { limits: [{ type: "Container", max: { cpu: quantity } }] } }),
  ],
]

async function poisonedQuantities({ admin, expectStatus }: Attempt): Promise<void> {
  for (const [path, object] of places)
    for (const [name, quantity] of quantities) {
      const answer = await admin.create(`${path}?dryRun=All`, object(quantity))
      expectStatus(`a quantity of ${name} in ${path}`, answer, 400, 413, 422, ...(name === "a huge exponent" ? [201] : []))
    }
}

async function longPaths({ anonymous, expectStatus }: Attempt): Promise<void> {
  const paths = ["/healthz", "/healthz/log", "/readyz/ping", "/api/v1", "/apis", "/metrics"]
  for (const path of paths) {
    const long = `${path}${"/".repeat(200_000)}x`
    expectStatus(`${path} with 200,000 slashes over HTTP/1.1`, await anonymous.sendHttp1({ path: long }), ...refusals)
    // A connection that is closed is a refusal as well.
    expectStatus(`${path} with 200,000 slashes over HTTP/2`, await anonymous.send({ path: long }), 0, ...refusals)
  }
}

/** Query parameters that are parsed, with texts that used to take their time. */
async function longParameters({ anonymous, expectStatus }: Attempt): Promise<void> {
  const digits = "1".repeat(100_000)
  for (const query of [`timeout=${digits}x`, `timeout=${digits}h${digits}`, `timeout=${"1h".repeat(50_000)}x`, `verbose=${digits}`]) {
    const allowed = query.startsWith("verbose") ? [200, ...refusals] : refusals
    expectStatus(`/healthz?${query.slice(0, 20)}…`, await anonymous.sendHttp1({ path: `/healthz?${query}` }), ...allowed)
  }
}

/** Names of headers that are all different, in one request: they are read before the user is known. */
async function manyHeaders({ anonymous, expect, expectTurns }: Attempt): Promise<void> {
  const names = [(index: number) => `impersonate-extra-${index.toString(36)}`, (index: number) => `x-${index.toString(36)}`]
  for (const name of names)
    for (const count of [1900, 8000, 30_000]) {
      const lines = Array.from({ length: count }, (_, index) => `${name(index)}: a\r\n`).join("")
      const { text } = await anonymous.raw(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`)
      const status = Number(statusesIn(text)[0])
      expect(status === 200 || refusals.includes(status), `${count} headers such as ${name(0)} to be answered`, text.slice(0, 200))
      await expectTurns(`${count} headers such as ${name(0)}`)
    }
}

/** A schedule that the CronJob controller reads again and again; the short one is allowed, and must be cheap. */
async function poisonedSchedules({ admin, expectStatus }: Attempt): Promise<void> {
  const template = { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } }
  const create = (name: string, schedule: string) =>
    admin.create("/apis/batch/v1/namespaces/default/cronjobs", { metadata: { name }, spec: { schedule, jobTemplate: template } })
  const parts = (count: number) => `${Array.from({ length: count }, () => "*/1").join(",")} * * * *`
  expectStatus("a schedule of 2.8 MB", await create("a", parts(700_000)), ...refusals)
  expectStatus("a schedule of 400 KB", await create("b", parts(100_000)), ...refusals)
  expectStatus("a schedule of 900 characters", await create("c", parts(220)), 201, 422)
  expectStatus("a date that never comes", await create("d", "0 0 31 2 *"), 201, 422)
  expectStatus("a time zone of 400 KB", await create("e", `TZ=${"a/".repeat(200_000)} * * * * *`), ...refusals)
  await pause(3000)
}

/** What simulated containers read of their command, annotations and probes. */
async function poisonedPods({ admin, expectStatus }: Attempt): Promise<void> {
  const zeros = "0".repeat(60_000)
  const containers: readonly (readonly [string, object])[] = [
    ["sleep-zeros", { command: ["sleep", `${zeros}x`] }],
    ["sleep-digits", { command: ["sleep", "9".repeat(60_000)] }],
    ["sleep-args", { command: ["sleep"], args: [`${"1h".repeat(30_000)}x`] }],
    ["long-image", { image: `${"a/".repeat(100_000)}:${"b".repeat(100_000)}` }],
    ["long-shell", { command: ["sh", "-c", `sleep ${zeros}x; ${"exit 1; ".repeat(10_000)}`] }],
    ["references", { env: [{ name: "A", value: "$(".repeat(100_000) }], args: ["$$(A)".repeat(50_000)] }],
  ]
  for (const [name, container] of containers)
    expectStatus(`a pod with ${name}`, await admin.create(pods, podWith(name, container)), 201, ...refusals)
  const annotated = { ...podWith("annotated", {}), metadata: { name: "annotated", annotations: annotationsOf(zeros) } }
  expectStatus("a pod with long annotations", await admin.create(pods, annotated), 201, ...refusals)
  await pause(3000)
}

function annotationsOf(zeros: string): Readonly<Record<string, string>> {
  const names = ["start-time", "run-time", "exit-code", "ready-delay", "ready", "alive", "stop-time", "pull-error", "cpu", "memory"]
  return Object.fromEntries(names.map((name) => [`pilothouse.dev/${name}`, `${zeros.slice(0, 30_000)}x`]))
}

/** Selectors, continue tokens, Accept and other headers that are parsed. */
async function longSelectors({ admin, expectStatus }: Attempt): Promise<void> {
  const many = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, index) => text(index)).join(",")
  const queries: readonly (readonly [string, string])[] = [
    ["100,000 values", `labelSelector=${encodeURIComponent(`a in (${many(100_000, (index) => `v${index}`)})`)}`],
    ["60,000 requirements", `labelSelector=${many(60_000, (index) => `!l${index}`)}`],
    ["200,000 parentheses", `labelSelector=${"(".repeat(200_000)}`],
    ["300,000 spaces", `labelSelector=a${"+".repeat(300_000)}x`],
    ["60,000 fields", `fieldSelector=${many(60_000, () => "metadata.name!=a")}`],
    ["200,000 parameters", many(200_000, () => "a=b").replaceAll(",", "&")],
    ["a long token", `limit=1&continue=${"A".repeat(400_000)}`],
    ["a long timeout", `timeoutSeconds=${"0".repeat(400_000)}1x`],
    ["a long revision", `resourceVersion=${"9".repeat(400_000)}`],
  ]
  for (const [name, query] of queries) {
    // 504 is for a revision that does not come.
    expectStatus(`a query with ${name}`, await admin.sendHttp1({ path: `/api/v1/pods?${query}` }), 200, 504, ...refusals)
  }
  const headers = [
    { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,".repeat(15_000) },
    { accept: `application/json;${" ".repeat(300_000)}q` },
    { "user-agent": "a/".repeat(300_000) },
    { authorization: `Bearer ${"a.".repeat(300_000)}` },
    { "impersonate-user": "a:".repeat(200_000) },
    { "accept-encoding": `gzip;q=${"0".repeat(300_000)}1x` },
  ]
  for (const one of headers) {
    expectStatus(`a long ${Object.keys(one)[0]}`, await admin.sendHttp1({ path: "/api/v1/pods", headers: one }), 200, ...refusals)
  }
}

/** What is read in one turn: no value of it takes more than linear time. */
export const timeRows: readonly Row[] = [
  { number: 1, name: "quantities that used to be read in cubic time", server: "up", attempt: poisonedQuantities },
  { number: 2, name: "a path of 200,000 slashes, anonymous", server: "up", attempt: longPaths },
  { number: 2, name: "a path of 200,000 slashes, anonymous, on run", server: "run", attempt: longPaths },
  { number: 3, name: "a timeout of 100,000 digits, anonymous", server: "up", attempt: longParameters },
  { number: 3, name: "a timeout of 100,000 digits, anonymous, on run", server: "run", attempt: longParameters },
  { number: 40, name: "30,000 different headers, anonymous", server: "up", attempt: manyHeaders },
  { number: 40, name: "30,000 different headers, anonymous, on run", server: "run", attempt: manyHeaders },
  { number: 10, name: "a poisoned CronJob", server: "up", attempt: poisonedSchedules },
  { number: 11, name: "commands, images and annotations that a kubelet reads", server: "up", attempt: poisonedPods },
  { number: 104, name: "selectors, tokens and headers of hundreds of kilobytes", server: "up", attempt: longSelectors },
]
