import type { Step } from "./steps.ts"

const managed = (data: object) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "managed", namespace: "default" }, data })
const migrated = (data: object) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "migrated", namespace: "default" }, data })

const labelled = (...names: readonly string[]) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: names.map((name) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", labels: { set: "files" } },
    })),
  })

/** Managers and operations of an object, as "kubectl-create Update;". */
const managers = "jsonpath={range .metadata.managedFields[*]}{.manager} {.operation};{end}"
const serverSide = ["apply", "--server-side", "-f", "-"]

/** In order, on a fresh cluster: field ownership as kubectl shows and uses it. */
export const serverSideApplySteps: readonly Step[] = [
  { args: serverSide, input: managed({ a: "1", b: "2" }), says: /configmap\/managed serverside-applied/ },
  { args: ["get", "configmap", "managed", "-o", managers], says: /^kubectl Apply;$/ },
  {
    args: ["get", "configmap", "managed", "-o", "yaml"],
    says: /^apiVersion: v1\ndata:\n {2}a: "1"\n {2}b: "2"\nkind: ConfigMap\nmetadata:\n(?!.*managedFields)/s,
  },
  {
    args: ["get", "configmap", "managed", "-o", "yaml", "--show-managed-fields"],
    says: /managedFields:\n[^]*f:a: \{\}[^]*manager: kubectl\n/,
  },
  { args: serverSide, input: managed({ a: "1" }), says: /serverside-applied/ },
  { args: ["get", "configmap", "managed", "-o", "jsonpath={.data}"], says: /^\{"a":"1"\}$/ },
  { args: ["diff", "--server-side", "-f", "-"], input: managed({ a: "1" }), says: /^$/ },
  { args: ["diff", "--server-side", "-f", "-"], input: managed({ a: "2" }), says: /-  a: "1"\n\+  a: "2"/, fails: true },
  { args: [...serverSide, "--dry-run=server"], input: managed({ a: "2" }), says: /serverside-applied \(server dry run\)/ },
  { args: ["get", "configmap", "managed", "-o", "jsonpath={.data.a}"], says: /^1$/ },
  {
    args: [...serverSide, "--field-manager=other"],
    input: managed({ a: "2" }),
    says: /Apply failed with 1 conflict: conflict with "kubectl": \.data\.a\nPlease review the fields above--they currently have other managers/,
    fails: true,
  },
  { args: [...serverSide, "--field-manager=other", "--force-conflicts"], input: managed({ a: "2" }), says: /serverside-applied/ },
  { args: ["get", "configmap", "managed", "-o", managers], says: /^other Apply;$/ },
  { args: [...serverSide, "--field-manager=third"], input: managed({ a: "2", c: "3" }), says: /serverside-applied/ },
  { args: ["get", "configmap", "managed", "-o", managers], says: /^(other Apply;third Apply;|third Apply;other Apply;)$/ },
  {
    args: serverSide,
    input: managed({ a: "1" }).replace('"data"', '"dota"'),
    says: /failed to create typed patch object \(default\/managed; \/v1, Kind=ConfigMap\): \.dota: field not declared in schema/,
    fails: true,
  },
  // From client-side apply: what it has set belongs to the server-side manager afterwards.
  { args: ["apply", "-f", "-"], input: migrated({ a: "1", b: "2" }), says: /configmap\/migrated created/ },
  { args: ["get", "configmap", "migrated", "-o", managers], says: /^kubectl-client-side-apply Update;$/ },
  { args: serverSide, input: migrated({ a: "2" }), says: /configmap\/migrated serverside-applied/ },
  // kubectl keeps the annotation of client-side apply under a name of its own.
  { args: ["get", "configmap", "migrated", "-o", managers], says: /^(kubectl-last-applied Apply;)?kubectl Apply;$/ },
  { args: ["get", "configmap", "migrated", "-o", "jsonpath={.data}"], says: /^\{"a":"2"\}$/ },
  { args: ["apply", "-f", "-"], input: migrated({ a: "3" }), says: /configmap\/migrated configured/ },
  { args: ["apply", "view-last-applied", "configmap/migrated"], says: /^data:\n {2}a: "3"$/m },
  { args: ["apply", "set-last-applied", "-f", "-"], input: migrated({ a: "4" }), says: /configmap\/migrated configured/ },
  { args: ["apply", "view-last-applied", "configmap/migrated", "-o", "json"], says: /"a": "4"/ },
  // What one set of files no longer has is pruned.
  { args: ["apply", "-f", "-"], input: labelled("kept", "pruned"), says: /configmap\/kept created\n.*configmap\/pruned created/s },
  { args: ["apply", "-f", "-", "--prune", "-l", "set=files"], input: labelled("kept"), says: /configmap\/pruned pruned/ },
  { args: ["get", "configmaps", "-l", "set=files", "-o", "name"], says: /^configmap\/kept\s*$/ },
  // The names under which the other commands write.
  { args: ["create", "configmap", "named", "--from-literal=a=1"], says: /configmap\/named created/ },
  { args: ["get", "configmap", "named", "-o", managers], says: /^kubectl-create Update;$/ },
  { args: ["label", "configmap", "named", "tier=front"], says: /labeled/ },
  { args: ["annotate", "configmap", "named", "note=hello"], says: /annotated/ },
  { args: ["patch", "configmap", "named", "-p", '{"data":{"b":"2"}}'], says: /patched/ },
  { args: ["get", "configmap", "named", "-o", managers], says: /kubectl-create Update;.*kubectl-label Update;/ },
  { args: ["get", "configmap", "named", "-o", managers], says: /kubectl-annotate Update;/ },
  { args: ["get", "configmap", "named", "-o", managers], says: /kubectl-patch Update;/ },
  { args: ["edit", "configmap", "named"], says: /configmap\/named edited/, editor: "sed -i s/hello/goodbye/" },
  { args: ["get", "configmap", "named", "-o", managers], says: /kubectl-edit Update;/ },
  { args: ["create", "deployment", "owned", "--image=example/web:1"], says: /deployment\.apps\/owned created/ },
  { args: ["rollout", "status", "deployment/owned", "--timeout=20s"], says: /successfully rolled out/ },
  { args: ["set", "image", "deployment/owned", "web=example/web:2"], says: /image updated/ },
  { args: ["rollout", "status", "deployment/owned", "--timeout=20s"], says: /successfully rolled out/ },
  { args: ["rollout", "restart", "deployment/owned"], says: /restarted/ },
  { args: ["expose", "deployment", "owned", "--port=80"], says: /service\/owned exposed/ },
  { args: ["get", "deployment", "owned", "-o", managers], says: /kubectl-create Update;/ },
  { args: ["get", "deployment", "owned", "-o", managers], says: /kubectl-set Update;/ },
  { args: ["get", "deployment", "owned", "-o", managers], says: /kubectl-rollout Update;/ },
  { args: ["get", "deployment", "owned", "-o", managers], says: /kube-controller-manager Update;/ },
  { args: ["get", "service", "owned", "-o", managers], says: /^kubectl-expose Update;$/ },
  {
    args: ["get", "pods", "-l", "app=owned", "-o", "jsonpath={.items[0].metadata.managedFields[*].manager}"],
    says: /^kube-controller-manager kubelet$/,
  },
  { args: ["scale", "deployment/owned", "--replicas=2"], says: /scaled/ },
  {
    args: ["get", "deployment", "owned", "-o", "jsonpath={.metadata.managedFields[?(@.subresource=='scale')].manager}"],
    says: /^kubectl$/,
  },
  {
    args: ["delete", "deployment/owned", "service/owned", "configmap/named", "configmap/managed", "configmap/migrated", "configmap/kept"],
    says: /"owned" deleted/,
  },
]
