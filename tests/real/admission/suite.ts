// npm run test:real -- admission: webhook programs on the loopback, and admission policies, of the real API server and of ours for the same requests.
import { setTimeout as delay } from "node:timers/promises"
import { stringifyJson } from "@pilothouse/seams"
import type { ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { comparable, metricLines } from "./comparable.ts"
import type { PolicyScenario } from "./policies/policy-scenario.ts"
import { createParamKinds, policyOutcome, policyScenarios, registerPolicies } from "./policies/run-policies.ts"
import { allPrograms } from "./programs.ts"
import { type Hook, type Scenario, type ScenarioRequest, scenarios } from "./scenarios.ts"
import { startWebhookServer, type WebhookServer } from "./webhook-server.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

/** Until the caches of the real server have seen the configurations. */
const seen = 3000
const registration = "/apis/admissionregistration.k8s.io/v1"

interface Server {
  /** The first part of the paths of its webhooks. */
  readonly name: "real" | "ours"
  readonly client: ApiClient
}

async function run({ tally, histories = Number.MAX_SAFE_INTEGER }: SuiteContext): Promise<void> {
  const disabledPlugins = ["ServiceAccount"]
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  await using webhooks = await startWebhookServer(allPrograms())
  const servers: readonly Server[] = [
    { name: "real", client: real.client },
    { name: "ours", client: ours.client },
  ]
  const chosen = spread(scenarios, histories)
  await Promise.all(servers.map(({ client }) => createParamKinds(client)))
  await Promise.all(servers.map((server) => register(server, chosen, webhooks)))
  await delay(seen)
  await tally.group(`${chosen.length} scenarios of admission webhooks`, async (group) => {
    for (const [index, scenario] of chosen.entries()) {
      const [theirs, own] = await Promise.all(servers.map((server) => outcome(server, scenario, index, webhooks)))
      group.case(scenario.name, theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`)
    }
  })
  await runPolicies(servers, spread(policyScenarios, histories), tally)
  await tally.group("metrics", async (group) => {
    const [theirs, own] = await Promise.all(
      servers.map(async ({ client }) => metricLines(await client.send({ verb: "GET", path: "/metrics" }))),
    )
    for (const series of new Set([...theirs!.keys(), ...own!.keys()])) {
      const [one, other] = [theirs!.get(series), own!.get(series)]
      group.case(series, one === other ? undefined : `the server: ${one}\nours:       ${other}`)
    }
  })
}

/** So many of the scenarios, of every kind of them. */
function spread<T>(all: readonly T[], count: number): readonly T[] {
  const share = Math.min(1, count / all.length)
  return all.filter((_one, index) => Math.floor((index + 1) * share) > Math.floor(index * share))
}

async function runPolicies(servers: readonly Server[], chosen: readonly PolicyScenario[], tally: SuiteContext["tally"]): Promise<void> {
  const namespaceOf = (index: number) => `p${index}`
  await tally.group(`${chosen.length} scenarios of admission policies`, async (group) => {
    const registered = await Promise.all(
      servers.map(async ({ client }) => {
        const answers: string[] = []
        for (const [index, scenario] of chosen.entries()) {
          answers.push(stringifyJson(comparable(await registerPolicies(client, scenario, namespaceOf(index)))))
        }
        return answers
      }),
    )
    await delay(seen)
    for (const [index, scenario] of chosen.entries()) {
      const [theirs, own] = await Promise.all(
        servers.map(async ({ client }, side) => registered[side]![index]! + (await policyOutcome(client, scenario, namespaceOf(index)))),
      )
      group.case(scenario.name, theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`)
    }
  })
}

async function register({ name, client }: Server, chosen: readonly Scenario[], webhooks: WebhookServer): Promise<void> {
  for (const [index, scenario] of chosen.entries()) {
    const namespace = `s${index}`
    await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } })
    for (const type of ["mutating", "validating"] as const) {
      const hooks = scenario[type] ?? []
      if (hooks.length === 0) continue
      const body = { metadata: { name: namespace }, webhooks: hooks.map((hook, at) => webhookOf(hook, { at, namespace, name, webhooks })) }
      await client.object({ verb: "POST", path: `${registration}/${type}webhookconfigurations`, body })
    }
  }
}

interface Place {
  readonly at: number
  readonly namespace: string
  readonly name: string
  readonly webhooks: WebhookServer
}

function webhookOf({ program, more, clientConfig }: Hook, { at, namespace, name, webhooks: { port, ca } }: Place): object {
  const url = `https://127.0.0.1:${port}/${name}/${namespace}/${at}/${program}`
  return {
    name: `w${at}.${namespace}.example.com`,
    clientConfig: clientConfig?.(port, ca) ?? { url, caBundle: Buffer.from(ca).toString("base64") },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  }
}

/** What a scenario came to: the answers, and what the webhooks were sent. */
async function outcome({ name, client }: Server, scenario: Scenario, index: number, webhooks: WebhookServer): Promise<string> {
  const namespace = `s${index}`
  const answered: unknown[] = []
  for (const request of scenario.requests) {
    const { status, value, warnings } = await client.send({ ...request, path: pathOf(request, namespace) })
    // One header with several warnings says the same as several headers.
    answered.push({ status, value, warnings: warnings.flatMap((text) => text.split(/, (?=299 - )/)) })
  }
  const hooks = [...(scenario.mutating ?? []), ...(scenario.validating ?? [])]
  const paths = new Set(["mutating", "validating"].flatMap(() => hooks.map(({ program }, at) => `/${name}/${namespace}/${at}/${program}`)))
  const all = scenario.mutating?.length ?? 0
  for (const [at, { program }] of (scenario.validating ?? []).entries()) if (all > 0) paths.add(`/${name}/${namespace}/${at}/${program}`)
  const sent = [...paths].map((path) => webhooks.reviews(path))
  return stringifyJson(comparable({ answered, sent })).replaceAll(`/${name}/s`, "/server/s")
}

function pathOf({ path }: ScenarioRequest, namespace: string): string {
  if (path.startsWith("/")) return `/api/v1/namespaces/${namespace}${path}`
  const [group, version, ...rest] = path.split("/")
  return `/apis/${group}/${version}/namespaces/${namespace}/${rest.join("/")}`
}
