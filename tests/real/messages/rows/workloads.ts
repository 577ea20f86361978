import { at, patch, post, type Row } from "../row.ts"

const labels = { app: "bad" }
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/main:1" }] } }
const good = { selector: { matchLabels: labels }, template }

const deployment = (name: string, spec: object): Row =>
  post(name, at("apps/deployments"), { metadata: { name: "bad" }, spec: { ...good, ...spec } })
const statefulSet = (name: string, spec: object): Row =>
  post(name, at("apps/statefulsets"), { metadata: { name: "bad" }, spec: { ...good, ...spec } })
const daemonSet = (name: string, spec: object): Row =>
  post(name, at("apps/daemonsets"), { metadata: { name: "bad" }, spec: { ...good, ...spec } })
const replicaSet = (name: string, spec: object): Row =>
  post(name, at("apps/replicasets"), { metadata: { name: "bad" }, spec: { ...good, ...spec } })
const jobTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example/main:1" }] } }
const job = (name: string, spec: object): Row =>
  post(name, at("batch/jobs"), { metadata: { name: "bad" }, spec: { template: jobTemplate, ...spec } })
const cronSpec = { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } }
const cronJob = (name: string, spec: object): Row =>
  post(name, at("batch/cronjobs"), { metadata: { name: "bad" }, spec: { ...cronSpec, ...spec } })

export const workloads: readonly Row[] = [
  post("a Deployment without a spec", at("apps/deployments"), { metadata: { name: "bad" } }),
  deployment("without a selector", { selector: undefined }),
  deployment("with an empty selector", { selector: {} }),
  deployment("with a selector of others", { selector: { matchLabels: { app: "other" } } }),
  deployment("with a bad selector", { selector: { matchExpressions: [{ key: "a", operator: "Near" }] } }),
  deployment("with a selector without values", { selector: { matchLabels: labels, matchExpressions: [{ key: "a", operator: "In" }] } }),
  deployment("below zero", { replicas: -1 }),
  deployment("without containers", { template: { metadata: { labels }, spec: { containers: [] } } }),
  deployment("of pods that end", { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } }),
  deployment("of an unknown strategy", { strategy: { type: "Sudden" } }),
  deployment("recreated with a rolling update", { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
  deployment("with no room to roll", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
  deployment("with a bad surge", { strategy: { rollingUpdate: { maxSurge: "much" } } }),
  deployment("with too much unavailable", { strategy: { rollingUpdate: { maxUnavailable: "120%" } } }),
  deployment("with seconds below zero", { minReadySeconds: -1 }),
  deployment("with a history below zero", { revisionHistoryLimit: -1 }),
  deployment("with a deadline too early", { progressDeadlineSeconds: 5, minReadySeconds: 10 }),
  replicaSet("a ReplicaSet below zero", { replicas: -1 }),
  replicaSet("a ReplicaSet with a selector of others", { selector: { matchLabels: { app: "other" } } }),
  statefulSet("a StatefulSet without a selector", { selector: undefined }),
  statefulSet("a StatefulSet of an unknown strategy", { updateStrategy: { type: "Sudden" } }),
  statefulSet("a StatefulSet of an unknown pod management", { podManagementPolicy: "Chaos" }),
  statefulSet("a StatefulSet with a partition below zero", { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } } }),
  statefulSet("a StatefulSet below zero", { replicas: -1 }),
  daemonSet("a DaemonSet of an unknown strategy", { updateStrategy: { type: "Sudden" } }),
  daemonSet("a DaemonSet with no room to roll", {
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
  }),
  daemonSet("a DaemonSet with both", { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
  daemonSet("a DaemonSet with a selector of others", { selector: { matchLabels: { app: "other" } } }),
  job("a Job that never ends its pods", { template: { spec: { ...jobTemplate.spec, restartPolicy: "Always" } } }),
  job("a Job below zero", { parallelism: -1 }),
  job("a Job with completions below zero", { completions: -1 }),
  job("an indexed Job without completions", { completionMode: "Indexed" }),
  job("a Job of an unknown mode", { completionMode: "Chaos" }),
  job("a Job with a selector of its own", { selector: { matchLabels: labels } }),
  job("a Job with a backoff below zero", { backoffLimit: -1 }),
  job("a Job with a time to live below zero", { ttlSecondsAfterFinished: -1 }),
  job("a Job with a limit per index", { backoffLimitPerIndex: 1 }),
  job("a Job with an unknown replacement", { podReplacementPolicy: "Never" }),
  cronJob("a CronJob without a schedule", { schedule: "" }),
  cronJob("a CronJob with a bad schedule", { schedule: "soon" }),
  cronJob("a CronJob with a bad minute", { schedule: "61 * * * *" }),
  cronJob("a CronJob in an unknown zone", { timeZone: "Nowhere/Land" }),
  cronJob("a CronJob with a zone in its schedule", { schedule: "TZ=UTC * * * * *" }),
  cronJob("a CronJob of an unknown concurrency", { concurrencyPolicy: "Chaos" }),
  cronJob("a CronJob with a deadline below zero", { startingDeadlineSeconds: -1 }),
  cronJob("a CronJob with a history below zero", { successfulJobsHistoryLimit: -1 }),
  post("a CronJob with a long name", at("batch/cronjobs"), { metadata: { name: "a".repeat(53) }, spec: cronSpec }),
  post("a ReplicationController without a selector", at("replicationcontrollers"), {
    metadata: { name: "bad" },
    spec: { template: { spec: template.spec } },
  }),
  post("a ReplicationController with a selector of others", at("replicationcontrollers"), {
    metadata: { name: "bad" },
    spec: { selector: { app: "other" }, template },
  }),
  post("a StatefulSet to work with", at("apps/statefulsets"), { metadata: { name: "store" }, spec: { ...good, serviceName: "store" } }),
  patch("another service name", at("apps/statefulsets", "store"), "merge", { spec: { serviceName: "other" } }),
  patch("another selector of a StatefulSet", at("apps/statefulsets", "store"), "merge", {
    spec: { selector: { matchLabels: { app: "x" } } },
  }),
  post("a Job to work with", at("batch/jobs"), { metadata: { name: "sum" }, spec: { template: jobTemplate } }),
  {
    ...patch("another template of a Job", at("batch/jobs", "sum"), "strategic", {
      spec: { template: { spec: { containers: [{ name: "main", image: "b" }] } } },
    }),
    alike: "the template is shown in the layout of Go's memory",
  },
  patch("other completions of a Job", at("batch/jobs", "sum"), "merge", { spec: { completions: 7 } }),
]
