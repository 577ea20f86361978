import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { controller, type PlanBuilder, plan } from "@pilothouse/runtime"

/** Where a sleeping Deployment keeps how many replicas it had. */
const remembered = "night-sleeper.example.com/replicas"

const isNight = (now: number) => new Date(now).getUTCHours() < 6

/** Scales Deployments to zero at midnight and back at six. */
export const nightSleeper = controller("night-sleeper", {
  for: deployments,
  writes: [{ of: deployments, verbs: ["patch"] }],
  observe: (key, read) => read.get(deployments, key),
  decide: (deployment, { now }) => (isNight(now) ? sleep(deployment) : wake(deployment)).requeueAfter("10m", "the hour may have struck"),
})

function sleep(deployment: Deployment): PlanBuilder {
  const replicas = deployment.spec?.replicas ?? 1
  if (replicas === 0) return plan().nothing("it sleeps")
  const patch = { metadata: { annotations: { [remembered]: `${replicas}` } }, spec: { replicas: 0 } }
  return plan().patch(deployment, patch, `it is night, and its ${replicas} replicas have no users`)
}

function wake(deployment: Deployment): PlanBuilder {
  const replicas = deployment.metadata.annotations?.[remembered]
  if (replicas === undefined) return plan().nothing("it is day, and it is awake")
  const patch = { metadata: { annotations: { [remembered]: null } }, spec: { replicas: Number(replicas) } }
  return plan()
    .patch(deployment, patch, `it is day, and it had ${replicas} replicas before the night`)
    .event(deployment, "Normal", "WokenUp", `Woken up with ${replicas} replicas`)
}
