import { setTimeout as delay } from "node:timers/promises"
import type { SeededRandom } from "@pilothouse/seams"
import { difference } from "../api/comparable.ts"
import { Draw } from "../api/draw.ts"
import { isRecord, type JsonObject } from "../api/objects/object.ts"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import { answerDifference } from "../apply/answers.ts"
import type { Group, Tally } from "../tally.ts"
import { changeDefinition, drawDefinition, drawValidDefinition } from "./draw-definition.ts"

/** The two that receive the same requests. */
export interface Servers {
  readonly real: ApiClient
  readonly ours: ApiClient
}

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
/** Written again and again, each time in another way. */
const changesOfEach = 8

/** New definitions, of which most are refused; none is stored. */
export async function judgeDefinitions(tally: Tally, servers: Servers, random: SeededRandom, count: number): Promise<void> {
  await tally.group(`${count} random definitions, not stored`, async (group) => {
    const statuses = new Map<number, number>()
    for (let index = 0; index < count; index++) {
      const body = drawDefinition(new Draw(random.fork(`definition ${index}`)), index)
      const status = await compare(group, `definition ${index}`, servers, { verb: "POST", path, query: { dryRun: "All" }, body })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    group.note(`answered with ${[...statuses].map(([status, times]) => `${status}: ${times}`).join(", ")}`)
  })
}

/** Definitions that are stored and established, and then updated, their status too. */
export async function judgeUpdates(tally: Tally, servers: Servers, random: SeededRandom, count: number): Promise<void> {
  await tally.group(`${count} stored definitions, each updated ${changesOfEach} times`, async (group) => {
    for (let index = 0; index < count; index++) {
      const draw = new Draw(random.fork(`stored ${index}`))
      const body = drawValidDefinition(draw, index)
      const status = await compare(group, `stored ${index}`, servers, { verb: "POST", path, body })
      if (status !== 201) continue
      const name = String((body.metadata as JsonObject).name)
      await compareSettled(group, `stored ${index}, established`, servers, name)
      for (let change = 0; change < changesOfEach; change++) await update(group, `stored ${index}, change ${change}`, servers, name, draw)
      await compareSettled(group, `stored ${index}, at the end`, servers, name)
    }
  })
}

async function update(group: Group, title: string, servers: Servers, name: string, draw: Draw): Promise<void> {
  const { endpoint, change } = changeDefinition(draw)
  const [theirs, own] = await Promise.all([settled(servers.real, name), settled(servers.ours, name)])
  const send = (client: ApiClient, object: JsonObject) =>
    client.send({ verb: "PUT", path: `${path}/${name}${endpoint}`, body: change(inOrder(object) as JsonObject) })
  const answers = await bothAnswers(send(servers.real, theirs), send(servers.ours, own))
  if (answers !== undefined) group.case(title, answerDifference(...answers))
}

/** What is drawn depends on the order of keys, and each server has its own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, inOrder(value[key])]))
}

/** Returns the status that the real server answers with; 0 where its process panics, which is not compared. */
export async function compare(group: Group, title: string, { real, ours }: Servers, request: ApiRequest): Promise<number> {
  const answers = await bothAnswers(real.send(request), ours.send(request))
  if (answers === undefined) return 0
  const found = answerDifference(...answers)
  group.case(title, found && `${found}\n${JSON.stringify(request.body)}`)
  return answers[0].status
}

/** The real server panics at selectable fields without a schema, and hangs up. */
async function bothAnswers(theirs: Promise<ApiAnswer>, own: Promise<ApiAnswer>): Promise<readonly [ApiAnswer, ApiAnswer] | undefined> {
  const [real, ours] = await Promise.allSettled([theirs, own])
  if (ours.status === "rejected") throw ours.reason
  return real.status === "rejected" ? undefined : [real.value, ours.value]
}

export async function compareSettled(group: Group, title: string, { real, ours }: Servers, name: string): Promise<void> {
  const [theirs, own] = await Promise.all([settled(real, name), settled(ours, name)])
  group.case(title, difference(comparableStatus(theirs), comparableStatus(own)))
}

/** Times and the order in which controllers have added conditions are not the same twice. */
function comparableStatus({ status, metadata }: JsonObject): unknown {
  const { conditions, ...rest } = isRecord(status) ? status : {}
  const list = Array.isArray(conditions) ? conditions.map(({ lastTransitionTime: _time, ...condition }) => condition) : []
  const { generation } = isRecord(metadata) ? metadata : {}
  return { ...rest, generation, conditions: list.toSorted((a, b) => (a.type < b.type ? -1 : 1)) }
}

/** The definition once nothing more comes of it: its names are those that it asks for, or refused, and it is established if they are accepted. */
async function settled(client: ApiClient, name: string): Promise<JsonObject> {
  let last = ""
  for (let tries = 0; tries < 200; tries++) {
    const object = await client.object({ verb: "GET", path: `${path}/${name}` })
    const version = String((object.metadata as JsonObject).resourceVersion)
    if (version === last && hasConditions(object)) return object
    last = version
    await delay(25)
  }
  throw new Error(`${name} has no conditions after 5 s`)
}

function hasConditions({ spec, status }: JsonObject): boolean {
  const { conditions, acceptedNames } = (status ?? {}) as { conditions?: readonly JsonObject[] | null; acceptedNames?: unknown }
  const conditionOf = (name: string) => conditions?.find(({ type }) => type === name)
  const isAccepted = difference((spec as JsonObject).names, acceptedNames) === undefined
  const established = conditionOf("Established")
  return (
    established !== undefined && established.reason !== "Installing" && (isAccepted || conditionOf("NamesAccepted")?.status === "False")
  )
}
