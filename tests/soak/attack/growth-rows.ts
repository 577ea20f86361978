import { type Attempt, isTooLarge, type Row, refusals } from "./row.ts"
import { pause } from "./waiting.ts"

const core = "/api/v1/namespaces/default"
const containers = [{ name: "c", image: "i" }]

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function amounts(count: number, amount: string, name = (index: number) => `x.io/r${index}`): Readonly<Record<string, string>> {
  return Object.fromEntries(many(count, (index) => [name(index), amount]))
}

/** 500 pods of 9,000 claims each would be four and a half million objects. */
async function claimTemplates({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const claim = (index: number) => ({
    metadata: { name: `v${index}` },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  })
  const set = {
    metadata: { name: "s" },
    spec: {
      serviceName: "s",
      replicas: 500,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers } },
      volumeClaimTemplates: many(9000, claim),
    },
  }
  expectStatus("9,000 claim templates", await admin.create("/apis/apps/v1/namespaces/default/statefulsets", set), 201, ...refusals)
  await pause(15_000)
  await expectTurns("9,000 claim templates")
}

/** Defaults for each container of a pod, which would not fit into any storage. */
async function wideLimitRange({ admin, expect, expectStatus, expectTurns }: Attempt): Promise<void> {
  const limits = [{ type: "Container", max: amounts(5000, "1") }]
  expectStatus("a LimitRange of 5,000 names", await admin.create(`${core}/limitranges`, { metadata: { name: "l" }, spec: { limits } }), 201)
  await expectTurns("a LimitRange of 5,000 names")
  const pod = (count: number) => ({
    metadata: { name: "p" },
    spec: { containers: many(count, (index) => ({ name: `c${index}`, image: "i" })) },
  })
  for (const count of [100, 300]) {
    const answer = await admin.create(`${core}/pods`, pod(count))
    expect(refusals.includes(answer.status) || isTooLarge(answer), `a pod of ${count} containers to be refused`, answer.text.slice(0, 200))
    await expectTurns(`a pod of ${count} containers`)
  }
}

/** Quotas that every request of a namespace goes by. */
async function wideQuotas({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const quota = (index: number) => ({
    metadata: { name: `q${index}` },
    spec: { hard: { ...amounts(4000, "1", (one) => `count/r${one}.x${index}.io`), "count/configmaps": "100000" } },
  })
  for (let index = 0; index < 5; index++) {
    expectStatus("a quota of 4,000 names", await admin.create(`${core}/resourcequotas`, quota(index)), 201)
    await pause(500)
  }
  await pause(2000)
  await expectTurns("quotas of 4,000 names")
  for (let index = 0; index < 20; index++)
    expectStatus("a ConfigMap below them", await admin.create(`${core}/configmaps`, { metadata: { name: `c${index}` } }), 201)
  await pause(3000)
  await expectTurns("20 ConfigMaps below quotas of 4,000 names")
}

/** Metrics that are all about one resource of 100 pods. */
async function manyMetrics({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const requests = [{ name: "c", image: "i", resources: { requests: { cpu: "10m" } } }]
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: requests } }
  const deployment = { metadata: { name: "d" }, spec: { replicas: 100, selector: { matchLabels: { a: "b" } }, template } }
  await admin.create("/apis/apps/v1/namespaces/default/deployments", deployment)
  await pause(6000)
  await expectTurns("100 pods")
  const metric = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" }
  const hpa = { metadata: { name: "h" }, spec: { maxReplicas: 100, minReplicas: 100, scaleTargetRef, metrics: many(1000, () => metric) } }
  expectStatus("1,000 metrics", await admin.create("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", hpa), 201)
  await pause(20_000)
  await expectTurns("1,000 metrics of 100 pods")
}

/** Budgets that all select the same pods. */
async function manyBudgets({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  for (let index = 0; index < 500; index++)
    await admin.create(`${core}/pods`, { metadata: { name: `p${index}`, labels: { a: "b" } }, spec: { nodeName: "none", containers } })
  await expectTurns("500 pods")
  const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
  const spec = { minAvailable: 1, selector: { matchLabels: { a: "b" } } }
  for (let index = 0; index < 100; index++)
    expectStatus("a budget", await admin.create(budgets, { metadata: { name: `b${index}` }, spec }), 201)
  await pause(5000)
  await expectTurns("100 budgets of 500 pods")
}

/** A pod of many terms that others would have to leave for. */
async function termsThatPreempt({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  await admin.create("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "high" }, value: 1000 })
  for (let index = 0; index < 200; index++)
    await admin.create(`${core}/pods`, { metadata: { name: `p${index}`, labels: { a: `v${index}` } }, spec: { containers } })
  await pause(6000)
  await expectTurns("200 pods")
  const term = (labelSelector: object) => ({ labelSelector, topologyKey: "kubernetes.io/hostname" })
  const terms = [
    ...many(1000, (index) => term({ matchLabels: { a: `n${index}` } })),
    term({ matchExpressions: [{ key: "a", operator: "Exists" }] }),
  ]
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
  const pod = { metadata: { name: "big" }, spec: { priorityClassName: "high", containers, affinity } }
  expectStatus("1,001 terms", await admin.create(`${core}/pods`, pod), 201)
  await pause(8000)
  await expectTurns("1,001 terms that 200 pods would leave for")
  const others = many(100, (index) => term({ matchExpressions: [{ key: "a", operator: "NotIn", values: [`n${index}`] }] }))
  const preferred = others.map((podAffinityTerm) => ({ weight: 1, podAffinityTerm }))
  const near = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } }
  expectStatus("100 terms", await admin.create(`${core}/pods`, { metadata: { name: "near" }, spec: { containers, affinity: near } }), 201)
  await pause(3000)
  await expectTurns("100 preferred terms that match 200 pods")
}

/** Small objects whose parts are multiplied with each other, or with other objects. */
export const growthRows: readonly Row[] = [
  { number: 44, name: "500 replicas of 9,000 claim templates", server: "up", memory: 200, attempt: claimTemplates },
  { number: 45, name: "a LimitRange of 5,000 names and 300 containers", server: "up", attempt: wideLimitRange },
  { number: 46, name: "quotas of 4,000 names", server: "up", memory: 60, attempt: wideQuotas },
  { number: 47, name: "1,000 metrics of 100 pods", server: "up", memory: 60, attempt: manyMetrics },
  { number: 49, name: "1,001 terms that 200 pods would leave for", server: "up", memory: 60, attempt: termsThatPreempt },
  { number: 48, name: "100 budgets of the same 500 pods", server: "up", memory: 60, attempt: manyBudgets },
]
