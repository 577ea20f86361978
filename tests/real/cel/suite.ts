// npm run test:real -- cel: random definitions with validation rules (valid, ill-typed, too dear) and random objects of those that are accepted, the same to
// the real API server and to ours: acceptance, messages, warnings and refusals for their cost must be the same.
import type { SeededRandom } from "@pilothouse/seams"
import { Draw } from "../api/draw.ts"
import { eachConcurrently } from "../api/each.ts"
import type { JsonObject } from "../api/objects/object.ts"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import { answerDifference } from "../apply/answers.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group, Tally } from "../tally.ts"
import { drawDefinition, drawObjectSpec, unruledVersion } from "./draw-definition.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

const defaultDefinitions = 600
/** One accepted definition in so many is stored, and gets objects. */
const storedShare = 8
const objectsOfEach = 12
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

interface Servers {
  readonly real: ApiClient
  readonly ours: ApiClient
}

async function run({ tally, random, histories = defaultDefinitions }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: ["--enable-priority-and-fairness=false"] })
  await using ours = await startOurApiServer()
  const servers = { real: real.client, ours: ours.client }
  const accepted = await judgeDefinitions(tally, servers, random, histories)
  await judgeObjects(tally, servers, random, accepted.slice(0, Math.ceil(histories / storedShare)))
}

/** Returns the definitions that the real server accepts; none is stored. */
async function judgeDefinitions(tally: Tally, servers: Servers, random: SeededRandom, count: number): Promise<readonly JsonObject[]> {
  const accepted: JsonObject[] = []
  await tally.group(`${count} random definitions with rules`, async (group) => {
    const statuses = new Map<number, number>()
    await eachConcurrently(
      Array.from({ length: count }, (_none, index) => index),
      async (index) => {
        const body = drawDefinition(new Draw(random.fork(`definition ${index}`)), `rule${index}s`)
        const { status } = await compare(group, `definition ${index}`, servers, { verb: "POST", path, query: { dryRun: "All" }, body })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 201 && JSON.stringify(body).includes("x-kubernetes-validations")) accepted.push(body)
      },
    )
    group.note(`answered with ${[...statuses].map(([status, times]) => `${status}: ${times}`).join(", ")}`)
  })
  return accepted
}

async function judgeObjects(tally: Tally, servers: Servers, random: SeededRandom, definitions: readonly JsonObject[]): Promise<void> {
  await tally.group(`${definitions.length * objectsOfEach} writes of objects of ${definitions.length} kinds with rules`, async (group) => {
    const outcomes = new Map<string, number>()
    await eachConcurrently(definitions, async (body) => {
      const kind = kindOf(body)
      await Promise.all([servers.real, servers.ours].map((client) => client.send({ verb: "POST", path, body })))
      if (!(await isServed(servers, kind.path))) return group.case(kind.path, "is not served after 10 s")
      const draw = new Draw(random.fork(`objects of ${kind.path}`))
      for (const outcome of await judgeKind(group, servers, kind, draw, body)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    })
    group.note(`answered with ${[...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).join(", ")}`)
  })
}

function versionsOf(definition: JsonObject): readonly string[] {
  return (definition.spec as { readonly versions: readonly { readonly name: string }[] }).versions.map(({ name }) => name)
}

interface Kind {
  readonly kind: string
  readonly path: string
}

function kindOf(definition: JsonObject): Kind {
  const { group, names } = definition.spec as { readonly group: string; readonly names: { readonly plural: string; readonly kind: string } }
  return { kind: names.kind, path: `/apis/${group}/v1/${names.plural}` }
}

/** Creates and updates; the first that is accepted is stored, so that transition rules have something to compare. */
async function judgeKind(
  group: Group,
  servers: Servers,
  { kind, path: objects }: Kind,
  draw: Draw,
  definition: JsonObject,
): Promise<string[]> {
  const outcomes: string[] = []
  let stored = false
  for (let tries = 0; versionsOf(definition).includes(unruledVersion) && tries < 6 && !stored; tries++) {
    const body = objectOf(kind, drawObjectSpec(draw), unruledVersion)
    const create: ApiRequest = { verb: "POST", path: objects.replace("/v1/", `/${unruledVersion}/`), body }
    const { status } = await compare(group, `object of ${kind} that no rule holds for`, servers, create, definition)
    stored = status === 201
  }
  for (let index = 0; index < objectsOfEach; index++) {
    const drawn = drawObjectSpec(draw)
    const writes: ApiRequest = !stored
      ? { verb: "POST", path: objects, body: objectOf(kind, drawn) }
      : { verb: "PATCH", path: `${objects}/o`, query: { dryRun: "All" }, contentType: mergePatch, body: { spec: drawPatch(draw, drawn) } }
    const { status, different, warns } = await compare(group, `object ${index} of ${kind}`, servers, writes, definition)
    outcomes.push(`${status}${warns ? " with warnings" : ""}`)
    if (different && !stored) return outcomes
    stored ||= status === 201
  }
  return outcomes
}

function objectOf(kind: string, spec: JsonObject, version = "v1"): JsonObject {
  return { apiVersion: `cel.test/${version}`, kind, metadata: { name: "o" }, spec }
}

const mergePatch = "application/merge-patch+json"

/** What a patch leaves as it was is not held against its rules. */
function drawPatch(draw: Draw, drawn: JsonObject): JsonObject {
  const changed = Object.entries(drawn).filter(() => draw.chance(0.4))
  return Object.fromEntries(changed.map(([name, value]) => [name, draw.chance(0.15) ? null : value]))
}

async function isServed({ real, ours }: Servers, objects: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    const answers = await Promise.all([real, ours].map((client) => client.send({ verb: "GET", path: objects })))
    if (answers.every(({ status }) => status === 200)) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}

async function compare(
  group: Group,
  title: string,
  { real, ours }: Servers,
  request: ApiRequest,
  definition?: JsonObject,
): Promise<{ readonly status: number; readonly different: boolean; readonly warns: boolean }> {
  const [theirs, own] = await Promise.allSettled([real.send(request), ours.send(request)])
  if (own.status === "rejected") throw own.reason
  // The real server panics at a few expressions, and hangs up.
  if (theirs.status === "rejected") return { status: 0, different: true, warns: false }
  const found = answerDifference(comparable(theirs.value), comparable(own.value), { withRefused: definition !== undefined })
  group.case(title, found && `${found}\n${JSON.stringify(request.body)}${definition ? `\n${rulesIn(definition)}` : ""}`)
  return { status: theirs.value.status, different: found !== undefined, warns: theirs.value.warnings.length > 0 }
}

function rulesIn(definition: JsonObject): string {
  const rules = JSON.stringify(definition).match(/"x-kubernetes-validations":\[.*?\}\]/g) ?? []
  return rules.join("\n")
}

/** The types of a schema have names by chance. */
function comparable(answer: ApiAnswer): ApiAnswer {
  return { ...answer, value: JSON.parse(JSON.stringify(answer.value ?? null).replaceAll(/selfType[\w.@]*/g, "<type>")) as unknown }
}
