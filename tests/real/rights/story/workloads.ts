import { itemsIn, statusIn } from "../../kcm/until.ts"
import { image, type Teller, template } from "./teller.ts"

/** Every kind that makes pods or what makes them, with a second template, a rollback and a scale; then budgets and autoscaling. */
export async function workloads(told: Teller): Promise<void> {
  await told.create(told.path("apps/v1/deployments"), { metadata: { name: "web" }, spec: spec("web", 2) })
  await told.create(told.path("apps/v1/statefulsets"), { metadata: { name: "db" }, spec: { ...spec("db", 1), serviceName: "db" } })
  await told.create(told.path("apps/v1/daemonsets"), { metadata: { name: "agent" }, spec: withoutReplicas("agent") })
  const selector = { app: "old" }
  await told.create(told.path("v1/replicationcontrollers"), {
    metadata: { name: "old" },
    spec: { replicas: 1, selector, template: template("old") },
  })
  await batch(told)
  await templates(told)
  await scaled(told)
}

const labels = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app) })
const spec = (app: string, replicas: number) => ({ ...labels(app), replicas })
const withoutReplicas = (app: string) => labels(app)

async function batch(told: Teller): Promise<void> {
  const jobTemplate = { spec: { template: template("often", { restartPolicy: "Never" }) } }
  await told.create(told.path("batch/v1/cronjobs"), { metadata: { name: "often" }, spec: { schedule: "* * * * *", jobTemplate } })
  await told.create(told.path("batch/v1/jobs"), {
    metadata: { name: "once" },
    spec: { ttlSecondsAfterFinished: 1, template: template("once", { restartPolicy: "Never" }) },
  })
  await told.until("a finished Job goes", told.path("batch/v1/jobs/once"), ({ status }) => status === 404)
  await told.until("a CronJob makes a Job", told.path("batch/v1/jobs"), (answer) => itemsIn(answer).length > 0)
}

/** A second template, and the first again: the revision that exists gets a higher number. */
async function templates(told: Teller): Promise<void> {
  for (const [resource, name] of [
    ["deployments", "web"],
    ["statefulsets", "db"],
    ["daemonsets", "agent"],
  ] as const) {
    const path = told.path(`apps/v1/${resource}/${name}`)
    for (const tag of [2, 1]) {
      await told.until(`${name} is rolled out before template ${tag}`, path, (answer) => isRolledOut(answer))
      await told.patch(path, image(tag))
    }
    await told.until(`${name} is rolled back`, path, (answer) => isRolledOut(answer))
  }
}

function isRolledOut(answer: Parameters<typeof statusIn>[0]): boolean {
  const status = statusIn(answer) as Record<string, number>
  const { generation } = (answer.value as { metadata: { generation: number } }).metadata
  const wanted = status.desiredNumberScheduled ?? status.replicas
  const updated = status.updatedNumberScheduled ?? status.updatedReplicas
  const ready = status.numberReady ?? status.readyReplicas
  return status.observedGeneration === generation && wanted !== undefined && wanted > 0 && updated === wanted && ready === wanted
}

async function scaled(told: Teller): Promise<void> {
  const selector = { matchLabels: { app: "web" } }
  await told.create(told.path("policy/v1/poddisruptionbudgets"), { metadata: { name: "web" }, spec: { minAvailable: 1, selector } })
  await told.until("a budget is counted", told.path("policy/v1/poddisruptionbudgets/web"), (answer) => statusIn(answer).expectedPods === 2)
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
  await told.create(told.path("autoscaling/v2/horizontalpodautoscalers"), {
    metadata: { name: "web" },
    spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 4 },
  })
  await told.until("an autoscaler scales", told.path("apps/v1/deployments/web"), (answer) => statusIn(answer).availableReplicas === 3)
  await told.until(
    "a ReplicationController is ready",
    told.path("v1/replicationcontrollers/old"),
    (answer) => statusIn(answer).readyReplicas === 1,
  )
}
