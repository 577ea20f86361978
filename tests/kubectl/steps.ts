/** One kubectl command and what it has to say. */
export interface Step {
  readonly args: readonly string[]
  readonly input?: string
  /** What kubectl runs as the editor, with the file after it. */
  readonly editor?: string
  /** Has to be found in what it prints, errors included. */
  readonly says: RegExp
  /** True when the command has to fail. */
  readonly fails?: boolean
  /** True where it shows what comes in its own time, such as the end of a pod that is terminating: asked again until it says so, for 20 s. */
  readonly soon?: boolean
}

const configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"colour":"blue"}}`

const waitingReason = "{.status.containerStatuses[0].state.waiting.reason}"

/** In order, on a fresh cluster: what a person does on a first day. */
export const steps: readonly Step[] = [
  { args: ["version"], says: /Server Version: v1\.36\.3/ },
  { args: ["get", "nodes"], says: /node-3 +Ready/ },
  { args: ["get", "namespaces"], says: /kube-system +Active/ },
  {
    args: ["auth", "whoami", "--as=bob", "--as-group=dev", "--as-group=ops"],
    says: /Username +bob\s+Groups +\[dev ops system:authenticated\]/,
  },
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
  { args: ["get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}"], says: /^(example\/web:2 ?){5}$/, soon: true },
  { args: ["rollout", "history", "deployment/web"], says: /REVISION +CHANGE-CAUSE\s+1 +<none>\s+2 +<none>/ },
  { args: ["rollout", "undo", "deployment/web"], says: /deployment\.apps\/web rolled back/ },
  { args: ["rollout", "status", "deployment/web", "--timeout=20s"], says: /successfully rolled out/ },
  { args: ["get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}"], says: /^(example\/web:1 ?){5}$/, soon: true },
  { args: ["rollout", "undo", "deployment/web", "--to-revision=2"], says: /deployment\.apps\/web rolled back/ },
  { args: ["rollout", "status", "deployment/web", "--timeout=20s"], says: /successfully rolled out/ },
  { args: ["expose", "deployment", "web", "--type=LoadBalancer", "--port=8080"], says: /service\/web exposed/ },
  { args: ["wait", "service/web", "--for=jsonpath={.status.loadBalancer.ingress[0].ipMode}=VIP", "--timeout=20s"], says: /condition met/ },
  { args: ["get", "service", "web"], says: /web +LoadBalancer +10\.\S+ +127\.\S+ +8080:3\d{4}\/TCP/ },
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
  { args: ["wait", "pod/bad", `--for=jsonpath=${waitingReason}=ImagePullBackOff`, "--timeout=20s"], says: /condition met/ },
  {
    args: ["logs", "bad"],
    says: /container "bad" in pod "bad" is waiting to start: trying and failing to pull image/,
    fails: true,
  },
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
  { args: ["autoscale", "deployment", "hello", "--min=2", "--max=4"], says: /horizontalpodautoscaler\.autoscaling\/hello autoscaled/ },
  { args: ["get", "hpa", "hello"], says: /hello +Deployment\/hello/ },
  { args: ["create", "namespace", "other"], says: /namespace\/other created/ },
  { args: ["create", "deployment", "doomed", "--image=example/hello:1", "-n", "other"], says: /deployment\.apps\/doomed created/ },
  { args: ["wait", "deployment/doomed", "-n", "other", "--for=condition=Available", "--timeout=20s"], says: /condition met/ },
  { args: ["delete", "namespace", "other", "--timeout=20s"], says: /namespace "other" deleted/ },
  { args: ["get", "namespace", "other"], says: /namespaces "other" not found/, fails: true },
  { args: ["drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=20s"], says: /node\/node-2 drained/ },
  { args: ["get", "pods", "-A", "--field-selector", "spec.nodeName=node-2"], says: /No resources found/ },
  { args: ["wait", "deployment/web", "--for=jsonpath={.status.availableReplicas}=5", "--timeout=20s"], says: /condition met/ },
  { args: ["uncordon", "node-2"], says: /node\/node-2 uncordoned/ },
  { args: ["cordon", "node-1"], says: /node\/node-1 cordoned/ },
  { args: ["get", "node", "node-1"], says: /Ready,SchedulingDisabled/ },
  { args: ["uncordon", "node-1"], says: /node\/node-1 uncordoned/ },
  { args: ["delete", "configmap", "settings"], says: /configmap "settings" deleted/ },
]
