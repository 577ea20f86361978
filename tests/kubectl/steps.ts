/** One kubectl command and what it has to say. */
export interface Step {
  readonly args: readonly string[]
  readonly input?: string
  /** Has to be found in what it prints, errors included. */
  readonly says: RegExp
  /** True when the command has to fail. */
  readonly fails?: boolean
}

const configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"colour":"blue"}}`

const waitingReason = "{.status.containerStatuses[0].state.waiting.reason}"

/** In order, on a fresh cluster: what a person does on a first day. */
export const steps: readonly Step[] = [
  { args: ["version"], says: /Server Version: v1\.36\.3/ },
  { args: ["get", "nodes"], says: /node-3 +Ready/ },
  { args: ["get", "namespaces"], says: /kube-system +Active/ },
  { args: ["api-resources"], says: /deployments +deploy +apps\/v1 +true +Deployment/ },
  { args: ["explain", "deployment.spec.replicas"], says: /FIELD: replicas <integer>/ },
  { args: ["apply", "-f", "examples/web.yaml"], says: /deployment\.apps\/web created/ },
  { args: ["rollout", "status", "deployment/web", "--timeout=20s"], says: /successfully rolled out/ },
  { args: ["get", "deployment", "web"], says: /web +3\/3 +3 +3/ },
  { args: ["get", "pods", "-o", "wide"], says: /web-\S+ +1\/1 +Running +0 +\S+ +10\.244\.\d+\.\d+ +node-\d/ },
  { args: ["get", "replicasets"], says: /web-\S+ +3 +3 +3/ },
  { args: ["apply", "-f", "examples/web.yaml"], says: /deployment\.apps\/web unchanged/ },
  { args: ["scale", "deployment/web", "--replicas=5"], says: /deployment\.apps\/web scaled/ },
  { args: ["wait", "deployment/web", "--for=jsonpath={.status.availableReplicas}=5", "--timeout=20s"], says: /condition met/ },
  { args: ["set", "image", "deployment/web", "web=example/web:2"], says: /image updated/ },
  { args: ["rollout", "status", "deployment/web", "--timeout=20s"], says: /successfully rolled out/ },
  { args: ["get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}"], says: /^(example\/web:2 ?){5}$/ },
  { args: ["describe", "deployment", "web"], says: /ScalingReplicaSet/ },
  { args: ["get", "events"], says: /SuccessfulCreate/ },
  { args: ["label", "deployment", "web", "tier=front"], says: /labeled/ },
  { args: ["get", "deployments", "-l", "tier=front", "-o", "name"], says: /^deployment\.apps\/web\s*$/ },
  { args: ["get", "pods", "--field-selector", "status.phase=Pending"], says: /No resources found/ },
  { args: ["annotate", "deployment", "web", "note=hello"], says: /annotated/ },
  { args: ["patch", "deployment", "web", "-p", '{"spec":{"minReadySeconds":1}}'], says: /patched/ },
  { args: ["patch", "deployment", "web", "--type=merge", "-p", '{"metadata":{"annotations":{"note":null}}}'], says: /patched/ },
  { args: ["patch", "deployment", "web", "--type=json", "-p", '[{"op":"remove","path":"/spec/minReadySeconds"}]'], says: /patched/ },
  { args: ["create", "configmap", "colours", "--from-literal=sky=blue"], says: /configmap\/colours created/ },
  { args: ["create", "secret", "generic", "token", "--from-literal=a=b"], says: /secret\/token created/ },
  { args: ["create", "deployment", "hello", "--image=example/hello:1", "--replicas=2"], says: /deployment\.apps\/hello created/ },
  { args: ["wait", "deployment/hello", "--for=condition=Available", "--timeout=20s"], says: /condition met/ },
  { args: ["run", "once", "--image=busybox", "--restart=Never", "--", "sh", "-c", "echo hello; sleep 1"], says: /pod\/once created/ },
  { args: ["wait", "pod/once", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s"], says: /condition met/ },
  { args: ["logs", "once"], says: /^hello\s*$/ },
  { args: ["run", "crash", "--image=busybox", "--", "sh", "-c", "echo boom; exit 3"], says: /pod\/crash created/ },
  { args: ["wait", "pod/crash", `--for=jsonpath=${waitingReason}=CrashLoopBackOff`, "--timeout=20s"], says: /condition met/ },
  { args: ["logs", "crash", "--previous", "--tail=1"], says: /^boom\s*$/ },
  { args: ["run", "bad", "--image=example/does-not-exist"], says: /pod\/bad created/ },
  { args: ["wait", "pod/bad", `--for=jsonpath=${waitingReason}=ErrImagePull`, "--timeout=20s"], says: /condition met/ },
  { args: ["logs", "bad"], says: /container "bad" in pod "bad" is waiting to start: image can't be pulled/, fails: true },
  { args: ["create", "job", "sums", "--image=example/sums"], says: /job\.batch\/sums created/ },
  { args: ["wait", "job/sums", "--for=condition=complete", "--timeout=20s"], says: /condition met/ },
  { args: ["top", "nodes"], says: /node-1 +\d+m +\d+% +\d+Mi/ },
  { args: ["top", "pods", "-l", "app=hello"], says: /hello-\S+ +1m +1Mi/ },
  { args: ["delete", "pod/once", "pod/crash", "pod/bad", "job/sums"], says: /"crash" (force )?deleted/ },
  { args: ["create", "-f", "-"], input: configMap, says: /configmap\/settings created/ },
  { args: ["create", "-f", "-"], input: configMap, says: /configmaps "settings" already exists/, fails: true },
  {
    args: ["create", "--validate=strict", "-f", "-"],
    input: configMap.replace('"data"', '"dota"'),
    says: /unknown field "dota"/,
    fails: true,
  },
  { args: ["get", "configmap", "nothing"], says: /configmaps "nothing" not found/, fails: true },
  { args: ["get", "pods", "--chunk-size=2"], says: /hello-/ },
  { args: ["get", "pods", "-A", "-o", "yaml"], says: /kind: List/ },
  { args: ["auth", "can-i", "create", "pods"], says: /^yes/ },
  { args: ["auth", "whoami"], says: /kubernetes-admin/ },
  { args: ["run", "single", "--image=example/one:1"], says: /pod\/single created/ },
  { args: ["wait", "pod/single", "--for=condition=Ready", "--timeout=20s"], says: /condition met/ },
  { args: ["delete", "pod", "single", "--timeout=20s"], says: /pod "single" deleted/ },
  { args: ["create", "namespace", "other"], says: /namespace\/other created/ },
  { args: ["cordon", "node-1"], says: /node\/node-1 cordoned/ },
  { args: ["get", "node", "node-1"], says: /Ready,SchedulingDisabled/ },
  { args: ["uncordon", "node-1"], says: /node\/node-1 uncordoned/ },
  { args: ["delete", "configmap", "settings"], says: /configmap "settings" deleted/ },
]
