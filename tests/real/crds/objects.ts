// Random custom resources of random definitions, the same writes to the real API server and to ours: every answer must be the same.
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { patchContentTypes } from "@pilothouse/api/patch"
import type { SeededRandom } from "@pilothouse/seams"
import { Draw } from "../api/draw.ts"
import { eachConcurrently } from "../api/each.ts"
import { isRecord, type JsonObject } from "../api/objects/object.ts"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import { answerDifference } from "../apply/answers.ts"
import type { Group, Tally } from "../tally.ts"
import { drawSchema } from "./objects-schemas.ts"
import { drawValue } from "./objects-values.ts"

export interface Servers {
  readonly real: ApiClient
  readonly ours: ApiClient
}

/** Writes of the objects of one definition. */
const writesOfDefinition = 16
const group = "objects.test"
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

interface Kind {
  readonly plural: string
  readonly kind: string
  readonly schema: JSONSchemaProps
  readonly hasStatus: boolean
  readonly path: string
  /** Whether any part of an object may have fields that are not declared. */
  readonly keepsUnknown: boolean
}

/** Judges about so many writes. */
export async function judgeObjects(tally: Tally, servers: Servers, random: SeededRandom, count: number): Promise<void> {
  const kinds = Array.from({ length: Math.ceil(count / writesOfDefinition) }, (_, index) => drawKind(random, index))
  await tally.group(`${kinds.length} definitions of custom resources`, async (definitionsGroup) => {
    for (const kind of kinds) await define(definitionsGroup, servers, kind)
  })
  await tally.group(`${kinds.length * writesOfDefinition} writes of custom resources`, async (writes) => {
    const statuses = new Map<number, number>()
    await eachConcurrently([...kinds.entries()], async ([index, kind]) => {
      if (!(await isServed(servers, kind))) return
      await judgeKind(writes, servers, kind, new Draw(random.fork(`objects-${index}`)), statuses)
    })
    writes.note(
      `answered with ${[...statuses]
        .sort()
        .map(([status, times]) => `${status}: ${times}`)
        .join(", ")}`,
    )
  })
}

function drawKind(random: SeededRandom, index: number): Kind {
  const draw = new Draw(random.fork(`definition-${index}`))
  const plural = `widget${index}s`
  const schema = drawSchema(draw)
  const keepsUnknown = JSON.stringify(schema).includes("x-kubernetes-preserve-unknown-fields")
  return {
    plural,
    kind: `Widget${index}`,
    schema,
    hasStatus: draw.chance(0.6),
    path: `/apis/${group}/v1/${plural}`,
    keepsUnknown,
  }
}

async function define(definitionsGroup: Group, { real, ours }: Servers, { plural, kind, schema, hasStatus }: Kind): Promise<void> {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    ...(hasStatus && { subresources: { status: {} } }),
  }
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Cluster", names: { plural, kind }, versions: [version] },
  }
  const request = { verb: "POST", path: definitions, body } as const
  const [theirs, own] = await Promise.all([real.send(request), ours.send(request)])
  const found = theirs.status === own.status ? undefined : `${JSON.stringify(body)}\nthe server: ${theirs.bytes}\nours: ${own.bytes}`
  definitionsGroup.case(plural, found)
}

/** A real server takes some time to serve what it has established. */
async function isServed({ real, ours }: Servers, { path }: Kind): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    const answers = await Promise.all([real, ours].map((client) => client.send({ verb: "GET", path })))
    if (answers.every(({ status }) => status === 200)) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}

async function judgeKind(writes: Group, servers: Servers, kind: Kind, draw: Draw, statuses: Map<number, number>): Promise<void> {
  const done: Operation[] = []
  for (let at = 0; at < writesOfDefinition; at++) {
    const operation = await drawOperation(draw, kind, at, servers.ours)
    done.push(operation)
    const [theirs, own] = await Promise.all([servers.real, servers.ours].map((client) => perform(client, kind, operation)))
    statuses.set(theirs!.status, (statuses.get(theirs!.status) ?? 0) + 1)
    const found = isUndeclared(theirs!) && isUndeclared(own!) ? undefined : answerDifference(sortedLines(theirs!), sortedLines(own!))
    writes.case(
      `write ${at} of ${kind.kind}`,
      found && `${JSON.stringify(kind.schema)}\n${done.map((one) => JSON.stringify(one)).join("\n")}\n${found}`,
    )
    // From here on the two have different objects.
    if (found !== undefined && theirs!.status !== own!.status) return
  }
}

/** An applied object is read in no order, and not behind the first field of each map that is not declared: which errors are found is left to chance. */
function isUndeclared({ status, bytes }: ApiAnswer): boolean {
  return status === 500 && bytes.includes("failed to create typed patch object") && bytes.includes("field not declared in schema")
}

/** Several errors of an applied object stand in no order. */
function sortedLines(answer: ApiAnswer): ApiAnswer {
  const { status, value } = answer
  if (status !== 500 || !isRecord(value)) return answer
  return { ...answer, value: { ...value, message: String(value.message).split("\n").sort() } }
}

interface Operation {
  readonly verb: "create" | "update" | "merge" | "json" | "apply" | "delete" | "get"
  readonly name: string
  readonly subresource: "" | "status"
  readonly query: Readonly<Record<string, string>>
  /** The spec and the status of the object, or the patch of it. */
  readonly body: unknown
}

const verbs = [
  "create",
  "update",
  "update",
  "update",
  "merge",
  "merge",
  "merge",
  "json",
  "json",
  "apply",
  "apply",
  "apply",
  "delete",
  "get",
] as const

async function drawOperation(draw: Draw, kind: Kind, at: number, ours: ApiClient): Promise<Operation> {
  const verb = at < 3 ? "create" : draw.pick(verbs)
  const subresource = kind.hasStatus && draw.chance(0.25) && verb !== "create" && verb !== "delete" ? "status" : ""
  const query: Record<string, string> = { fieldManager: draw.pick(["one", "two"]) }
  if (draw.chance(0.5)) query.fieldValidation = draw.pick(["Ignore", "Warn", "Strict"])
  if (verb === "apply" && draw.chance(0.7)) query.force = "true"
  const name = draw.chance(0.85) ? "n" : "m"
  return { verb, name, subresource, query, body: await drawBody(draw, kind, { verb, subresource }, ours) }
}

async function drawBody(
  draw: Draw,
  kind: Kind,
  { verb, subresource }: Pick<Operation, "verb" | "subresource">,
  ours: ApiClient,
): Promise<unknown> {
  if (subresource === "status")
    return verb === "json" ? [{ op: "add", path: "/status", value: drawStatus(draw, kind).status }] : drawStatus(draw, kind)
  if (verb === "json") return drawJsonPatch(draw, kind)
  const content = await drawContent(draw, kind, ours)
  if (verb !== "apply" || !kind.keepsUnknown) return content
  // What is applied below fields that keep what is unknown, and is pruned nevertheless, upstream validates before it prunes it.
  const { spec } = (await probe(ours, kind, content)) ?? {}
  return spec === undefined ? {} : { spec }
}

/** Mostly what the schema allows: most of what is drawn at random is refused for one of its parts. */
async function drawContent(draw: Draw, kind: Kind, ours: ApiClient): Promise<JsonObject> {
  const tries = draw.chance(0.75) ? 8 : 0
  let content = drawAnyContent(draw, kind)
  for (let at = 0; at < tries && (await probe(ours, kind, content)) === undefined; at++) content = drawAnyContent(draw, kind)
  return content
}

/** What our server would store of an object; undefined for one that it refuses. */
async function probe(ours: ApiClient, kind: Kind, content: JsonObject): Promise<JsonObject | undefined> {
  const body = { apiVersion: `${group}/v1`, kind: kind.kind, metadata: { name: "probe" }, ...content }
  const { status, value } = await ours.send({ verb: "POST", path: kind.path, query: { dryRun: "All", fieldValidation: "Ignore" }, body })
  return status === 201 && isRecord(value) ? value : undefined
}

function drawAnyContent(draw: Draw, { schema, hasStatus }: Kind): JsonObject {
  const { spec, status } = schema.properties as { readonly spec: JSONSchemaProps; readonly status: JSONSchemaProps }
  const labels = draw.chance(0.2) ? { metadata: { labels: { a: draw.pick(["1", "2"]) } } } : {}
  return {
    ...labels,
    ...(draw.chance(0.9) && { spec: drawValue(draw, spec) }),
    ...(!hasStatus && draw.chance(0.4) && { status: drawValue(draw, status) }),
  }
}

/**
 * What an endpoint ignores still decides whether anything is owned: a value of a wrong type there makes upstream forget all owners. So the two endpoints get
 * no more than their own part.
 */
function drawStatus(draw: Draw, { schema }: Kind): JsonObject {
  return { status: drawValue(draw, schema.properties?.status ?? {}) }
}

function drawJsonPatch(draw: Draw, { schema }: Kind): unknown {
  const spec = schema.properties?.spec ?? {}
  const names = Object.keys(spec.properties ?? {})
  const name = draw.chance(0.8) && names.length > 0 ? draw.pick(names) : "unknown"
  const path = `/spec/${name}`
  const value = drawValue(draw, spec.properties?.[name] ?? {})
  return draw.pick([[{ op: "add", path, value }], [{ op: "replace", path, value }], [{ op: "remove", path }]])
}

/** An update changes what the server holds; the other writes say all there is. */
async function perform(client: ApiClient, kind: Kind, { verb, name, subresource, query, body }: Operation): Promise<ApiAnswer> {
  const object = `${kind.path}/${name}`
  const path = subresource === "" ? object : `${object}/${subresource}`
  const typed = (content: unknown): JsonObject => ({ apiVersion: `${group}/v1`, kind: kind.kind, ...(content as JsonObject) })
  const named = (content: unknown): JsonObject => ({
    ...typed(content),
    metadata: { ...(content as { readonly metadata?: object }).metadata, name },
  })
  const patch = (type: "merge" | "json" | "apply", content: unknown): ApiRequest => ({
    verb: "PATCH",
    path,
    query,
    contentType: patchContentTypes[type],
    body: content,
  })
  switch (verb) {
    case "create":
      return client.send({ verb: "POST", path: kind.path, query, body: named(body) })
    case "update": {
      const { value } = await client.send({ verb: "GET", path: object })
      const metadata = isRecord(value) && value.kind === kind.kind ? value.metadata : { name }
      return client.send({ verb: "PUT", path, query, body: { ...typed(body), metadata } })
    }
    case "merge":
    case "json":
      return client.send(patch(verb, body))
    case "apply":
      return client.send(patch(verb, named(body)))
    case "delete":
      return client.send({ verb: "DELETE", path: object })
    case "get":
      return client.send({ verb: "GET", path })
  }
}
