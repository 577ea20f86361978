// What admission by others costs: creates with one validating policy, and with one webhook on the loopback.
import { join } from "node:path"
import type { Row } from "../bench.ts"
import { atMost, type Numbers, withoutGoal } from "../beside.ts"
import { installed } from "../up/program.ts"
import { configMap } from "./creates.ts"
import { best, inTurn, type Pair, serversIn, sidesIn } from "./pair.ts"
import type { RunningServer } from "./server.ts"
import { prepareCertificates, type Side, start } from "./sides.ts"
import { type WebhookServer, webhookServer } from "./webhook-server.ts"

const registration = "/apis/admissionregistration.k8s.io/v1"
const [clients, perRound, rounds] = [16, 1500, 5]
const namespaces = ["plain", "policy", "webhook"] as const
type Namespace = (typeof namespaces)[number]

export async function admission(directory: string, peers: boolean): Promise<readonly Row[]> {
  const certificates = join(directory, "pki")
  const ca = await prepareCertificates(certificates)
  const program = await installed()
  const started = (side: Side) => start(side, ca, { certificates, data: join(directory, side), program })
  const ours = await started("ours")
  const pair: Pair = peers ? { ours, theirs: await started("theirs") } : { ours }
  await using webhook = await webhookServer(join(directory, "webhook"), () => ({ allowed: true }))
  try {
    for (const server of serversIn(pair)) {
      await server.ready()
      await register(server, webhook)
    }
    const cpu: CpuOfCreates = { plain: [], policy: [], webhook: [] }
    return rowsOf(await measured(pair, cpu), cpu)
  } finally {
    for (const server of serversIn(pair)) await server.stop()
  }
}

/** Milliseconds of CPU that our server took for a create, one for each round. */
type CpuOfCreates = Readonly<Record<Namespace, number[]>>

/** Namespaces in turn within each round, so that a machine that is busy for a while disturbs all of them. */
async function measured(pair: Pair, cpu: CpuOfCreates): Promise<Record<Namespace, Numbers>> {
  const found: Record<Namespace, Record<Side, number[]>> = { plain: noNumbers(), policy: noNumbers(), webhook: noNumbers() }
  for (let round = 0; round <= rounds; round++) {
    for (const namespace of namespaces) {
      const before = pair.ours.cpu()
      const { ours, theirs } = await inTurn(sidesIn(pair), 1, (side) => createsPerSecond(pair[side]!, namespace, String(round)))
      // The first round runs code for the first time.
      if (round === 0) continue
      cpu[namespace].push((pair.ours.cpu() - before) / perRound)
      found[namespace].ours.push(...ours)
      found[namespace].theirs.push(...theirs)
    }
  }
  return { plain: best(found.plain), policy: best(found.policy), webhook: best(found.webhook) }
}

function noNumbers(): Record<Side, number[]> {
  return { ours: [], theirs: [] }
}

function rowsOf({ plain, policy, webhook }: Readonly<Record<Namespace, Numbers>>, cpu: CpuOfCreates): readonly Row[] {
  const kept = policy.ours / plain.ours
  return [
    withoutGoal("ConfigMap creates without webhook or policy, 16 clients", "/s", plain),
    withoutGoal("ConfigMap creates with one validating policy, 16 clients", "/s", policy),
    {
      what: "of creates without it, with one validating policy",
      ours: kept,
      unit: "×",
      better: "higher",
      goal: "≥ 0.7 ×",
      met: kept >= 0.7,
    },
    withoutGoal("CPU of the server for a create without webhook or policy", "ms", { ours: Math.min(...cpu.plain) }),
    withoutGoal("CPU of the server for a create with one validating policy", "ms", { ours: Math.min(...cpu.policy) }),
    atMost(1.25, "ConfigMap creates with one loopback webhook, 16 clients", "/s", webhook),
  ]
}

/** Each applies to the namespace of its name. The policy counts as registered once it refuses. */
async function register({ client }: RunningServer, { url, caBundle }: WebhookServer): Promise<void> {
  for (const name of namespaces) await client.expect(201, { verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } })
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }]
  const inNamespace = (name: Namespace) => ({ matchLabels: { "kubernetes.io/metadata.name": name } })
  const post = (kind: string, body: object) => client.expect(201, { verb: "POST", path: `${registration}/${kind}`, body })
  const hook = { name: "allow.bench.example.com", clientConfig: { url, caBundle }, sideEffects: "None", admissionReviewVersions: ["v1"] }
  await post("validatingwebhookconfigurations", {
    metadata: { name: "allow" },
    webhooks: [{ ...hook, rules, namespaceSelector: inNamespace("webhook") }],
  })
  await post("validatingadmissionpolicies", {
    metadata: { name: "text" },
    spec: {
      matchConstraints: { resourceRules: rules, namespaceSelector: inNamespace("policy") },
      validations: [{ expression: "size(object.data.text) < 1000 && !object.metadata.name.startsWith('refused')" }],
    },
  })
  await post("validatingadmissionpolicybindings", { metadata: { name: "text" }, spec: { policyName: "text", validationActions: ["Deny"] } })
  for (let tries = 0; tries < 100; tries++) {
    const path = "/api/v1/namespaces/policy/configmaps"
    if ((await client.send({ verb: "POST", path, body: configMap(`refused-${tries}`) })).status === 422) return
    await new Promise((resolve) => void setTimeout(resolve, 100))
  }
  throw new Error("the policy was not enforced within ten seconds")
}

async function createsPerSecond({ client }: RunningServer, namespace: Namespace, prefix: string): Promise<number> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const started = performance.now()
  let next = 0
  const work = async () => {
    while (next < perRound) await client.expect(201, { verb: "POST", path, body: configMap(`c-${prefix}-${next++}`) })
  }
  await Promise.all(Array.from({ length: clients }, work))
  return (perRound * 1000) / (performance.now() - started)
}
