import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { type HorizontalPodAutoscaler, type HorizontalPodAutoscalerSpec, horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { events } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { type ScriptedMetrics, scriptedMetrics } from "./metrics.ts"

export const controllers = ["horizontal-pod-autoscaler", "deployment", "replicaset"]

export interface Stage {
  readonly running: Cluster
  readonly metrics: ScriptedMetrics
}

export async function start(options: ClusterOptions = {}): Promise<Stage & AsyncDisposable> {
  const metrics = scriptedMetrics()
  const running = await cluster({ controllers, extensions: metrics.extensions, ...options })
  metrics.attach(running)
  return { running, metrics, [Symbol.asyncDispose]: () => running.close() }
}

export function web(replicas: number, name = "web", namespace = "default"): Deployment {
  const container = { name: "web", image: "example/web:1", resources: { requests: { cpu: "100m" } } }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    },
  }
}

export function cpu(averageUtilization: number) {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }
}

export const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }

export function scaler(spec: Partial<HorizontalPodAutoscalerSpec> = {}, name = "web", namespace = "default"): HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 10, metrics: [cpu(50)], ...spec },
  }
}

export async function size(running: Cluster, name = "web"): Promise<number | undefined> {
  return (await running.client.get(deployments, `default/${name}`)).spec?.replicas
}

export function get(running: Cluster, name = "web"): Promise<HorizontalPodAutoscaler> {
  return running.client.get(horizontalPodAutoscalers, `default/${name}`)
}

/** "AbleToScale=True/ReadyForNewScale" by type. */
export async function conditions(running: Cluster, name = "web"): Promise<Readonly<Record<string, string>>> {
  const { status } = await get(running, name)
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: holds, reason }) => [type, `${holds}/${reason}`]))
}

export async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all
    .filter(({ involvedObject }) => involvedObject.kind === "HorizontalPodAutoscaler")
    .map(({ reason, source, message }) => `${source?.component} ${reason}: ${message}`)
}
