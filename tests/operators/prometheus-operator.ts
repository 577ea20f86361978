import { freePorts } from "../real/free-ports.ts"
import { hasCondition, type Operator } from "./operator.ts"

const monitoring = "monitoring.coreos.com/v1"

/** A Prometheus whose pods are ready, that is scaled by its scale subresource and follows a ServiceMonitor. */
export const prometheusOperator: Operator = {
  name: "Prometheus operator",
  component: "prometheus-operator",
  module: "github.com/prometheus-operator/prometheus-operator",
  definitions: ["example/prometheus-operator-crd"],
  async story({ kubeconfig, start, create, find, scale, expect }) {
    const [port] = await freePorts(1)
    start({ args: [`--web.listen-address=127.0.0.1:${port}`, "--log-level=warn"], environment: { KUBECONFIG: kubeconfig } })
    const metadata = { name: "main", namespace: "default" }
    const selectors = { serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} }
    await create({ apiVersion: monitoring, kind: "Prometheus", metadata, spec: { replicas: 2, ...selectors } } as never)
    const prometheus = () => find(monitoring, "Prometheus", "default/main")
    await expect("the StatefulSet has two ready pods", async () => {
      const set = await find("apps/v1", "StatefulSet", "default/prometheus-main")
      return set?.status?.readyReplicas === 2
    })
    await expect("the Prometheus is Available and Reconciled", async () => {
      const found = await prometheus()
      return hasCondition(found, "Available") && hasCondition(found, "Reconciled") && found?.status?.availableReplicas === 2
    })
    await scale(monitoring, "Prometheus", "default/main", 2)
    await expect("its scale subresource writes its shards, each with two pods", async () => {
      const found = await prometheus()
      return hasCondition(found, "Available") && found?.status?.shards === 2 && found.status.availableReplicas === 4
    })
    const configuration = async () => (await find("v1", "Secret", "default/prometheus-main"))?.data?.["prometheus.yaml.gz"]
    const before = await configuration()
    const spec = { selector: { matchLabels: { app: "web" } }, endpoints: [{ port: "http" }] }
    await create({ apiVersion: monitoring, kind: "ServiceMonitor", metadata: { name: "web", namespace: "default" }, spec } as never)
    await expect("a ServiceMonitor changes the configuration", async () => ((await configuration()) ?? before) !== before)
    await create({
      apiVersion: monitoring,
      kind: "Alertmanager",
      metadata: { name: "alerts", namespace: "default" },
      spec: { replicas: 1 },
    } as never)
    await expect("an Alertmanager is Available", async () =>
      hasCondition(await find(monitoring, "Alertmanager", "default/alerts"), "Available"),
    )
  },
}
