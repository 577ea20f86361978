// npm run test:real -- crd-zoo: definitions of other projects and their sample objects, the same to the real API server and to ours.
import { execFileSync } from "node:child_process"
import { setTimeout as delay } from "node:timers/promises"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { comparable, difference, messageIn, withoutOrder } from "../api/comparable.ts"
import { isRecord, type JsonObject } from "../api/objects/object.ts"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { definitionsIn, moduleFolder, samplesIn } from "./documents.ts"
import { type Project, projects } from "./projects.ts"

export const suite: Suite = {
  skipReason: () => needsKubernetes() ?? needsGo(),
  run,
}

function needsGo(): string | undefined {
  try {
    execFileSync("go", ["version"])
    return undefined
  } catch {
    return "go is not on PATH: install Go 1.26 or newer"
  }
}

interface Servers {
  readonly real: ApiClient
  readonly ours: ApiClient
}

async function run({ tally }: SuiteContext): Promise<void> {
  // Reading takes some seconds, in which connections of the servers would be idle for too long.
  const read = await Promise.all(projects.map(documentsOf))
  await using real = await startControlPlane()
  await using ours = await startOurApiServer()
  const servers: Servers = { real: real.client, ours: ours.client }
  for (const { project, definitions, samples } of read) {
    await tally.group(`${project.name} ${project.version}`, async (group) => {
      group.note(`${definitions.length} definitions, ${samples.length} sample objects`)
      const served: CustomResourceDefinition[] = []
      for (const definition of definitions) if (await define(group, servers, definition)) served.push(definition)
      const kinds = kindsOf(served)
      const creatable = samples.filter(({ apiVersion, kind }) => kinds.has(`${String(apiVersion)}/${String(kind)}`))
      for (const [index, sample] of creatable.entries()) await create(group, servers, served, sample, index)
      for (const { metadata } of definitions) await remove(servers, metadata.name ?? "")
    })
  }
}

async function documentsOf(project: Project) {
  const folder = await moduleFolder(project)
  const definitions = definitionsIn(folder, project)
  return { project, definitions, samples: samplesIn(folder, kindsOf(definitions)) }
}

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

function kindsOf(definitions: readonly CustomResourceDefinition[]): ReadonlySet<string> {
  return new Set(definitions.flatMap(({ spec }) => spec.versions.map(({ name }) => `${spec.group}/${name}/${spec.names.kind}`)))
}

/** Returns whether both servers serve it: some projects publish definitions that no server takes. */
async function define(group: Group, { real, ours }: Servers, body: CustomResourceDefinition): Promise<boolean> {
  const name = body.metadata.name ?? ""
  const [theirs, own] = await Promise.all([real.send({ verb: "POST", path, body }), ours.send({ verb: "POST", path, body })])
  group.case(name, difference(answerOf(theirs), answerOf(own)))
  if (theirs.status >= 300 || own.status >= 300) return false
  const states = await Promise.all([established(real, name), established(ours, name)])
  group.case(`${name}, established`, difference(...states))
  return true
}

/** The object once nothing more is to come of it. */
async function established(client: ApiClient, name: string): Promise<unknown> {
  for (let tries = 0; tries < 500; tries++) {
    const object = await client.object<CustomResourceDefinition>({ verb: "GET", path: `${path}/${name}` })
    const conditions = object.status?.conditions ?? []
    const hasEstablished = conditions.some(({ type, status }) => type === "Established" && status === "True")
    // A controller of its own adds this one, before or after.
    const hasApproval = conditions.some(({ type }) => type === "KubernetesAPIApprovalPolicyConformant")
    if (hasEstablished && (hasApproval || !/\.k(ubernetes|8s)\.io$/.test(object.spec.group)))
      return comparable(withoutConditionOrder(object))
    await delay(20)
  }
  return { established: false }
}

function withoutConditionOrder(object: CustomResourceDefinition): JsonObject {
  const conditions = (object.status?.conditions ?? []).toSorted((a, b) => (a.type < b.type ? -1 : 1))
  return { ...object, status: { ...object.status, conditions } } as never as JsonObject
}

async function create(
  group: Group,
  { real, ours }: Servers,
  definitions: readonly CustomResourceDefinition[],
  sample: JsonObject,
  index: number,
): Promise<void> {
  const [gv = "", version = ""] = String(sample.apiVersion).split("/")
  const definition = definitions.find(({ spec }) => spec.group === gv && spec.names.kind === sample.kind)!
  const { plural } = definition.spec.names
  const namespaced = definition.spec.scope === "Namespaced"
  const metadata = isRecord(sample.metadata) ? sample.metadata : {}
  const { namespace: _namespace, ...rest } = metadata
  const body = { ...sample, metadata: { ...rest, ...(typeof rest.name === "string" && { name: `${rest.name}-${index}` }) } }
  const request = { verb: "POST", path: `/apis/${gv}/${version}/${namespaced ? "namespaces/default/" : ""}${plural}`, body } as const
  const [theirs, own] = await Promise.all([served(real, request), served(ours, request)])
  group.case(`${plural}.${gv} ${String(metadata.name ?? index)}`, difference(answerOf(theirs), answerOf(own)))
}

/** The real server serves a kind some time after it is established. */
async function served(client: ApiClient, request: Parameters<ApiClient["send"]>[0]): Promise<ApiAnswer> {
  for (let tries = 0; ; tries++) {
    const answer = await client.send(request)
    const isUnknown = answer.status === 404 && /page not found|could not find the requested resource/.test(messageIn(answer.value))
    if (!isUnknown || tries === 200) return answer
    await delay(25)
  }
}

function answerOf({ status, value }: ApiAnswer): unknown {
  return { status, body: status < 300 ? comparable(value) : withoutOrder(value) }
}

async function remove({ real, ours }: Servers, name: string): Promise<void> {
  await Promise.all([real, ours].map((client) => client.send({ verb: "DELETE", path: `${path}/${name}` })))
}
