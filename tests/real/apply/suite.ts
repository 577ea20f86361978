// npm run test:real -- apply: field ownership and server-side apply, the same requests to the real API server and to ours; answers and managedFields
// must be the same.
import { isRecord } from "../api/objects/object.ts"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { answerDifference } from "./answers.ts"
import { cases } from "./cases/index.ts"
import { judgeHistories } from "./histories/index.ts"
import type { BodyOf, Step } from "./step.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

/** Without controllers nothing creates the service accounts that this plugin requires. */
const disabledPlugins = ["ServiceAccount"]
/** About a minute on two cores. */
const defaultHistories = 400
/** What shares out the server's time writes the status of FlowSchemas whenever it likes. */
const apiServerFlags = [`--disable-admission-plugins=${disabledPlugins}`, "--enable-priority-and-fairness=false"]

async function run({ tally, random, histories = defaultHistories }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags })
  await using ours = await startOurApiServer({ disabledPlugins })
  for (const [title, steps] of Object.entries(cases)) {
    await tally.group(`${steps.length} requests: ${title}`, async (group) => {
      // One after the other: later steps work with what earlier ones have made.
      for (const step of steps) group.case(step.name, await stepDifference(step, real.client, ours.client))
    })
  }
  await judgeHistories(tally, { real: real.client, ours: ours.client }, random, histories)
}

async function stepDifference(step: Step, real: ApiClient, ours: ApiClient): Promise<string | undefined> {
  const [theirs, own] = await Promise.all([send(real, step), send(ours, step)])
  if (step.alike !== undefined && theirs.status >= 400 && own.status >= 400 && own.status < 500) return undefined
  const found = answerDifference(theirs, own)
  return found && `${step.verb} ${step.path} ${JSON.stringify(step.query ?? {})}\n${found}`
}

async function send(client: ApiClient, { body, ...request }: Step): Promise<ApiAnswer> {
  if (typeof body !== "function") return client.send({ ...request, body })
  const { value } = await client.send({ verb: "GET", path: request.path.replace(/\/finalize$/, "") })
  return client.send({ ...request, body: (body as BodyOf)(isRecord(value) ? value : {}) })
}
