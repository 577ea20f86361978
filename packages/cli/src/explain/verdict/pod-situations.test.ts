import { deployments } from "@pilothouse/api/apps/v1"
import { nodes, persistentVolumeClaims, pods, services } from "@pilothouse/api/core/v1"
import { claim, crashing, deployment, mounted, pod, service, testSituations } from "./testing/situations.ts"

testSituations([
  [
    "a CrashLoopBackOff, by its Deployment",
    { objects: [deployment(crashing)], of: deployments, after: "60s" },
    "degraded",
    /^not available, 0 of 2 pods ready: container app of 2 pods exits with code 1, restarted \d times; last log line: cannot connect to db$/,
  ],
  [
    "a CrashLoopBackOff, by its pod",
    { objects: [pod(crashing)], of: pods, after: "60s" },
    "degraded",
    /^container app exits with code 1, restarted \d times; last log line: cannot connect to db$/,
  ],
  [
    "a crash whose log ends with a stack, by the error above it",
    {
      objects: [
        pod({
          container: { command: ["sh", "-c", "echo Error: port 80 is taken; echo    at Server.listen; echo Node.js v24.21.0; exit 1"] },
        }),
      ],
      of: pods,
      after: "60s",
    },
    "degraded",
    /^container app exits with code 1, restarted \d times; its log ends with: Error: port 80 is taken$/,
  ],
  [
    "a CrashLoopBackOff, by its Service",
    { objects: [deployment(crashing), service()], of: services, after: "60s" },
    "degraded",
    /^nothing answers: container app of 2 pods exits with code 1, restarted \d times; last log line: cannot connect to db$/,
  ],
  [
    "an image that cannot be pulled",
    { objects: [deployment({ container: { image: "example/app:404" } })], of: deployments, after: "60s" },
    "degraded",
    /^not available, 0 of 2 pods ready: image example\/app:404 of container app of 2 pods cannot be pulled \((ErrImagePull|ImagePullBackOff)\)$/,
  ],
  [
    "a request that is larger than every node",
    { objects: [deployment({ container: { resources: { requests: { cpu: "900" } } } })], of: deployments, after: "10s" },
    "degraded",
    /^not available, 0 of 2 pods ready: no node takes 2 pods: it requests cpu 900, and the largest node has \d+$/,
  ],
  [
    "a node selector that matches no node",
    { objects: [pod({ spec: { nodeSelector: { disktype: "ssd" } } })], of: pods, after: "10s" },
    "degraded",
    "no node takes it: its node selector disktype=ssd matches no node",
  ],
  [
    "taints that are not tolerated",
    {
      objects: [],
      next: async (running) => {
        await running.client.patch(
          nodes,
          { metadata: { name: "node-1" } },
          { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } },
        )
        await running.apply(pod())
      },
      of: pods,
      after: "10s",
    },
    "degraded",
    "no node takes it: it tolerates the taints of no node, such as gpu=yes:NoSchedule",
  ],
  [
    "another scheduler",
    { objects: [pod({ spec: { schedulerName: "mine" } })], of: pods, after: "10s" },
    "progressing",
    'no node takes it: the scheduler "mine", which it asks for, has not looked at it',
  ],
  [
    "scheduling gates",
    { objects: [pod({ spec: { schedulingGates: [{ name: "example.com/wait" }] } })], of: pods },
    "suspended",
    "it waits for its scheduling gates: example.com/wait",
  ],
  [
    "a ConfigMap that is missing",
    { objects: [pod({ container: { envFrom: [{ configMapRef: { name: "settings" } }] } })], of: pods, after: "10s" },
    "degraded",
    'container app cannot be started: configmap "settings" not found',
  ],
  [
    "a claim without a StorageClass, by its pod",
    { objects: [claim({ storageClassName: "" }), pod(mounted)], of: pods, after: "20s" },
    "degraded",
    "no node takes it: its claim data is not bound: no PersistentVolume fits, and it names no StorageClass",
  ],
  [
    "a claim of a StorageClass that is missing",
    { objects: [claim({ storageClassName: "fast" })], of: persistentVolumeClaims, name: "data", after: "20s" },
    "degraded",
    "not bound: its StorageClass fast does not exist",
  ],
  [
    "a claim that does not exist",
    { objects: [pod(mounted)], of: pods, after: "10s" },
    "degraded",
    "no node takes it: its claim data does not exist",
  ],
  [
    "a readiness probe that fails",
    {
      objects: [
        deployment({ annotations: { "pilothouse.dev/ready": "0s=false" }, container: { readinessProbe: { httpGet: { port: 80 } } } }),
      ],
      of: deployments,
      after: "90s",
    },
    "degraded",
    /^not available, 0 of 2 pods ready: container app of 2 pods runs and is not ready(: Readiness probe failed.*)?$/,
  ],
])
