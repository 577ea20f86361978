import type { Operator } from "./operator.ts"

const argo = "argoproj.io/v1alpha1"

/** A Workflow that suspends for a second and one that runs pods, and a CronWorkflow, which is Active from its first run on. */
export const argoWorkflows: Operator = {
  name: "Argo Workflows",
  component: "workflow-controller",
  module: "github.com/argoproj/argo-workflows/v3",
  definitions: ["manifests/base/crds/minimal"],
  async story({ kubeconfig, start, create, find, expect }) {
    const namespace = "default"
    // Without this it listens on all addresses.
    const data = { config: "metricsConfig:\n  enabled: false\ntelemetryConfig:\n  enabled: false\n" }
    await create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "workflow-controller-configmap", namespace }, data } as never)
    const flags = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, "--namespaced", "--executor-image=argoexec", "--loglevel=warn"]
    start({ args: flags, environment: { LEADER_ELECTION_DISABLE: "true" } })
    const phase = async (name: string) => (await find(argo, "Workflow", `${namespace}/${name}`))?.status?.phase
    const workflow = (name: string, spec: object) =>
      create({ apiVersion: argo, kind: "Workflow", metadata: { name, namespace }, spec } as never)
    await workflow("pause", { entrypoint: "wait", templates: [{ name: "wait", suspend: { duration: "1s" } }] })
    await expect("a Workflow that suspends succeeds", async () => (await phase("pause")) === "Succeeded")
    await workflow("steps", {
      entrypoint: "both",
      podMetadata: { annotations: { "pilothouse.dev/run-time": "1s" } },
      templates: [
        { name: "both", steps: [[{ name: "first", template: "echo" }], [{ name: "second", template: "echo" }]] },
        { name: "echo", container: { image: "busybox", command: ["echo", "hello"] } },
      ],
    })
    await expect("a Workflow of two pods in turn succeeds", async () => (await phase("steps")) === "Succeeded")
    const cron = {
      schedules: ["* * * * *"],
      workflowSpec: { entrypoint: "wait", templates: [{ name: "wait", suspend: { duration: "1s" } }] },
    }
    await create({ apiVersion: argo, kind: "CronWorkflow", metadata: { name: "minutely", namespace }, spec: cron } as never)
    await expect("a CronWorkflow starts its Workflow when a minute begins", async () => {
      const found = await find(argo, "CronWorkflow", `${namespace}/minutely`)
      return found?.status?.phase === "Active"
    })
  },
}
