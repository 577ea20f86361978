// Definitions and custom resources: how soon they are served, how fast their objects are written, and what many of them take.
import { connect } from "node:http2"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Row } from "../bench.ts"
import { atMost, withoutGoal } from "../beside.ts"
import { installed } from "../up/program.ts"
import { adminToken } from "./load-client.ts"
import { best, inTurn, medians, type Pair, serversIn, sidesIn, sidesOf } from "./pair.ts"
import { memory } from "./pods.ts"
import type { RunningServer } from "./server.ts"
import { prepareCertificates, type Side, start } from "./sides.ts"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const group = "bench.example.com"
/** As many as an installation of some operators has; code that runs for the first time takes longer. */
const establishedRounds = 100
const batches = 4
const createsPerRound = 1500
const largeDefinitions = 200
const largeBytes = 50_000
const manyDefinitions = 1000

/** Rows of servers that are new: definitions of other questions would count too. */
export async function customResources(directory: string, peers: boolean): Promise<readonly Row[]> {
  const certificates = join(directory, "pki")
  const ca = await prepareCertificates(certificates)
  const program = await installed()
  const started = (side: Side, data: string) => start(side, ca, { certificates, data: join(directory, `${side}-${data}`), program })
  const pairOf = async (data: string): Promise<Pair> => {
    const ours = await started("ours", data)
    return peers ? { ours, theirs: await started("theirs", data) } : { ours }
  }
  const rows: Row[] = []
  rows.push(
    ...(await withPair(await pairOf("small"), async (pair) => [
      ...(await establishedTime(pair, ca)),
      ...(await creates(pair)),
      ...(await createsWithRules(pair)),
    ])),
  )
  rows.push(...(await withPair(await pairOf("large"), memoryWithDefinitions)))
  rows.push(...(await startWithDefinitions(sidesOf(peers), (side) => started(side, "many"))))
  return rows
}

async function withPair(pair: Pair, measure: (pair: Pair) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    for (const server of serversIn(pair)) await server.ready()
    return await measure(pair)
  } finally {
    for (const server of serversIn(pair)) await server.stop()
  }
}

/**
 * How long does it take from the request that creates a definition until a watch says that it is established? In batches: kube-apiserver makes its
 * OpenAPI documents again for seconds after each definition, which would take the processors from the other.
 */
async function establishedTime(pair: Pair, ca: string): Promise<readonly Row[]> {
  await using ours = await definitionWatch(pair.ours, ca)
  await using theirs = pair.theirs && (await definitionWatch(pair.theirs, ca))
  const found: Record<Side, number[]> = { ours: [], theirs: [] }
  const time = async (side: Side) => {
    const [plural, began] = [`plural${found[side].length}`, performance.now()]
    const established = { ours, theirs }[side]!.established(plural)
    await pair[side]!.client.expect(201, { verb: "POST", path: definitions, body: definition(plural, sixtyProperties()) })
    await established
    found[side].push(performance.now() - began)
  }
  for (let batch = 0; batch < batches; batch++) {
    for (const side of sidesIn(pair)) {
      await delay(4000)
      for (let round = 0; round < establishedRounds / batches; round++) await time(side)
    }
  }
  const first = medians({ ours: found.ours.slice(0, 1), theirs: found.theirs.slice(0, 1) })
  return [
    withoutGoal("the first definition of a new server to Established", "ms", first),
    atMost(0.2, "definition to Established", "ms", medians(found)),
  ]
}

interface DefinitionWatch extends AsyncDisposable {
  /** Resolves with the event in which the definition is established. */
  established(plural: string): Promise<void>
}

/** As `kubectl wait` learns of it. */
async function definitionWatch(server: RunningServer, ca: string): Promise<DefinitionWatch> {
  const session = connect(`https://127.0.0.1:${server.port}`, { ca })
  const stream = session.request({ ":path": `${definitions}?watch=true`, authorization: `Bearer ${adminToken}` })
  const waiting = new Map<string, () => void>()
  let rest = ""
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      const { object } = JSON.parse(line) as { readonly object: Definition }
      if (isEstablished(object)) waiting.get(object.metadata.name)?.()
    }
  })
  await new Promise((resolve, reject) => stream.once("response", resolve).once("error", reject))
  return {
    established: (plural) => new Promise((resolve) => waiting.set(`${plural}.${group}`, resolve)),
    async [Symbol.asyncDispose]() {
      session.destroy()
    },
  }
}

interface Definition {
  readonly metadata: { readonly name: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

function isEstablished({ status }: Definition): boolean {
  return status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True") ?? false
}

/** How many objects of a schema with 60 properties a second, each on disk before it is answered? */
async function creates(pair: Pair): Promise<readonly Row[]> {
  return [await createRate(pair, { plural: "widgets", schema: sixtyProperties(), what: "60 properties", maxRatio: 0.5 })]
}

/** The same with five validation rules, each of which is evaluated for each object. */
async function createsWithRules(pair: Pair): Promise<readonly Row[]> {
  return [
    await createRate(pair, { plural: "judged", schema: withRules(sixtyProperties()), what: "60 properties and 5 rules", maxRatio: 0.67 }),
  ]
}

interface Creates {
  readonly plural: string
  readonly schema: object
  readonly what: string
  readonly maxRatio: number
}

async function createRate(pair: Pair, { plural, schema, what, maxRatio }: Creates): Promise<Row> {
  for (const server of serversIn(pair)) await define(server, plural, schema)
  const path = `/apis/${group}/v1/namespaces/default/${plural}`
  const rate = async (side: Side, round: number) => {
    const began = performance.now()
    let next = 0
    const work = async () => {
      while (next < createsPerRound) await served(pair[side]!, path, widget(plural, `w-${round}-${next++}`))
    }
    await Promise.all(Array.from({ length: 16 }, work))
    return (createsPerRound * 1000) / (performance.now() - began)
  }
  return atMost(maxRatio, `creates of a custom resource with ${what}, 16 clients`, "/s", best(await inTurn(sidesIn(pair), 4, rate)))
}

/** kube-apiserver serves a kind some time after it is established. */
async function served({ client }: RunningServer, path: string, body: object): Promise<void> {
  for (;;) {
    const { status, bytes } = await client.send({ verb: "POST", path, body })
    if (status === 201) return
    if (status !== 404) throw new Error(`POST ${path}: expected 201, found ${status} ${bytes}`)
  }
}

/** How much memory do 200 definitions of 50 KB take, with one object of each read? */
async function memoryWithDefinitions(pair: Pair): Promise<readonly Row[]> {
  for (const server of serversIn(pair)) {
    for (let number = 0; number < largeDefinitions; number++) await define(server, `plural${number}`, largeSchema(number))
  }
  return [atMost(0.3, `memory with ${largeDefinitions} definitions of 50 KB`, "MB", await memory(pair))]
}

/** How long until a server is ready that finds 1,000 definitions in its storage, and how much memory does it take then? */
async function startWithDefinitions(sides: readonly Side[], started: (side: Side) => Promise<RunningServer>): Promise<readonly Row[]> {
  for (const side of sides) {
    const server = await started(side)
    await server.ready()
    for (let number = 0; number < manyDefinitions; number++)
      await server.client.expect(201, { verb: "POST", path: definitions, body: definition(`plural${number}`, sixtyProperties()) })
    await server.stop()
  }
  const sizes: Record<Side, number[]> = { ours: [], theirs: [] }
  const time = async (side: Side, round: number) => {
    const began = performance.now()
    const server = await started(side)
    await server.ready()
    const took = performance.now() - began
    if (round === 0) {
      // Definitions are read, and what that took is freed, within some seconds.
      await delay(15_000)
      sizes[side].push(server.memory())
    }
    await server.stop()
    return took
  }
  const times = medians(await inTurn(sides, 3, time))
  const many = manyDefinitions.toLocaleString("en")
  return [
    withoutGoal(`ready after the start, with ${many} definitions`, "ms", times),
    withoutGoal(`memory after the start, with ${many} definitions`, "MB", medians(sizes)),
  ]
}

async function define({ client }: RunningServer, plural: string, schema: object): Promise<void> {
  await client.expect(201, { verb: "POST", path: definitions, body: definition(plural, schema) })
  for (;;) {
    const bytes = await client.expect(200, { verb: "GET", path: `${definitions}/${plural}.${group}` })
    if (/"type": ?"Established","status": ?"True"|"status": ?"True","type": ?"Established"/.test(compact(bytes))) return
  }
}

/** The fields of a condition are beside each other but for its texts. The answer may stand in chunks: it is no JSON. */
function compact(bytes: Buffer): string {
  return bytes.toString().replaceAll(/"(?:lastTransitionTime|message|reason)": ?"[^"]*",?/g, "")
}

function definition(plural: string, openAPIV3Schema: object): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind: kindOf(plural) },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }],
    },
  }
}

function kindOf(plural: string): string {
  return `${plural[0]!.toUpperCase()}${plural.slice(1)}Kind`
}

const scalars = [
  { type: "string", maxLength: 100 },
  { type: "integer", minimum: 0 },
  { type: "boolean", default: true },
  { type: "string", enum: ["a", "b", "c"] },
  { type: "array", items: { type: "string" } },
  { type: "object", additionalProperties: { type: "string" } },
]
const values = ["a text", 7, false, "b", ["x", "y"], { key: "value" }]

interface WidgetSchema {
  readonly type: "object"
  readonly properties: {
    readonly spec: { readonly type: "object"; readonly properties: object; readonly required: readonly string[] }
    readonly status: object
  }
}

function sixtyProperties(): WidgetSchema {
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field${at}`, scalars[at % scalars.length]]))
  return { type: "object", properties: { spec: { type: "object", properties, required: ["field0"] }, status: { type: "object" } } }
}

/** Texts, numbers, lists and maps are read; all of it is true of `widget`. */
const rules = [
  "self.field0.startsWith('a') && self.field0.size() > 3",
  "self.field1 >= 0 && self.field1 < 1000",
  "!has(self.field8) || self.field8 || self.field1 == 7",
  "self.field4.all(text, text.size() <= 20 && text != self.field0)",
  "'key' in self.field5 && self.field5['key'].matches('^[a-z]+$')",
].map((rule) => ({ rule }))

/** The rules need bounds, or their estimated cost is too high. */
function withRules(schema: WidgetSchema): object {
  const text = { type: "string", maxLength: 50 }
  const bounded = {
    field4: { type: "array", items: text, maxItems: 10 },
    field5: { type: "object", additionalProperties: text, maxProperties: 10 },
  }
  const { spec } = schema.properties
  const judged = { ...spec, properties: { ...spec.properties, ...bounded }, "x-kubernetes-validations": rules }
  return { ...schema, properties: { ...schema.properties, spec: judged } }
}

function widget(plural: string, name: string): object {
  const spec = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field${at}`, values[at % values.length]]))
  return { apiVersion: `${group}/v1`, kind: kindOf(plural), metadata: { name }, spec }
}

/** Descriptions make the most of large definitions. */
function largeSchema(number: number): object {
  const description = `what field of definition ${number} says `.repeat(3)
  const properties: Record<string, object> = {}
  for (let at = 0, bytes = 0; bytes < largeBytes; at++) {
    properties[`field${at}`] = { ...scalars[at % scalars.length], description }
    bytes += description.length + 70
  }
  return { type: "object", properties: { spec: { type: "object", properties } } }
}
