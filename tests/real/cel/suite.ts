// npm run test:real -- cel: random definitions with validation rules (valid, ill-typed, too dear) and random objects of those that are accepted, the same to
// the real API server and to ours: acceptance, messages and refusals for their cost must be the same.
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
import { drawDefinition, drawObjectSpec } from "./draw-definition.ts"

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
    const statuses = new Map<number, number>()
    await eachConcurrently(definitions, async (body) => {
      const kind = kindOf(body)
      await Promise.all([servers.real, servers.ours].map((client) => client.send({ verb: "POST", path, body })))
      if (!(await isServed(servers, kind.path))) return group.case(kind.path, "is not served after 10 s")
      const draw = new Draw(random.fork(`objects of ${kind.path}`))
      for (const status of await judgeKind(group, servers, kind, draw, body)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })
    group.note(`answered with ${[...statuses].map(([status, times]) => `${status}: ${times}`).join(", ")}`)
  })
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
): Promise<number[]> {
  const statuses: number[] = []
  let stored = false
  for (let index = 0; index < objectsOfEach; index++) {
    const body = { apiVersion: "cel.test/v1", kind, metadata: { name: "o" }, spec: drawObjectSpec(draw) }
    const writes: ApiRequest = stored
      ? { verb: "PUT", path: `${objects}/o`, query: { dryRun: "All" }, body }
      : { verb: "POST", path: objects, body }
    const { status, different } = await compare(group, `object ${index} of ${kind}`, servers, writes, definition)
    statuses.push(status)
    if (different && !stored) return statuses
    stored ||= status === 201
  }
  return statuses
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
): Promise<{ readonly status: number; readonly different: boolean }> {
  const [theirs, own] = await Promise.allSettled([real.send(request), ours.send(request)])
  if (own.status === "rejected") throw own.reason
  // The real server panics at a few expressions, and hangs up.
  if (theirs.status === "rejected") return { status: 0, different: true }
  const found = answerDifference(comparable(theirs.value), comparable(own.value))
  group.case(title, found && `${found}\n${JSON.stringify(request.body)}${definition ? `\n${rulesIn(definition)}` : ""}`)
  return { status: theirs.value.status, different: found !== undefined }
}

function rulesIn(definition: JsonObject): string {
  const rules = JSON.stringify(definition).match(/"x-kubernetes-validations":\[.*?\}\]/g) ?? []
  return rules.join("\n")
}

/** The types of a schema have names by chance. */
function comparable(answer: ApiAnswer): ApiAnswer {
  return { ...answer, value: JSON.parse(JSON.stringify(answer.value ?? null).replaceAll(/selfType[\w.@]*/g, "<type>")) as unknown }
}
