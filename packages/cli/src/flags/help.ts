import { styleText } from "node:util"
import { type Command, Help, type Option } from "commander"

/** Headings of `pilothouse --help`, in its order, each with its commands. */
export const commandGroups: Readonly<Record<string, readonly string[]>> = {
  "Cluster:": ["up", "status", "down", "apiserver", "kubeconfig"],
  "Objects:": ["get", "apply", "delete", "logs", "top", "auth"],
  "Why:": ["explain", "doctor"],
  "On a cluster elsewhere:": ["run", "kinds", "rbac", "envtest-assets"],
  "OpenStack:": ["openstack"],
  "Discovery:": ["discovery"],
  "Other:": ["version", "completion"],
}

interface Example {
  readonly line: string
  readonly does: string
}

/** What stands under the flags of a command's help. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  up: [
    { line: "pilothouse up", does: "a cluster that keeps its objects in .pilothouse" },
    { line: "pilothouse up --nodes 50 --from manifests/", does: "50 simulated nodes, and the objects of a directory" },
    { line: "pilothouse up -- go test ./...", does: "a cluster for one command, gone when it ends" },
    { line: "pilothouse up --detach --name demo", does: "in the background; `pilothouse down --name demo` stops it" },
  ],
  status: [
    { line: "pilothouse status", does: "every cluster of this machine" },
    { line: "pilothouse status --name demo", does: "one; the exit code is 1 where it is not up" },
  ],
  down: [{ line: "pilothouse down --name demo", does: "stop it; its data stay" }],
  apiserver: [
    { line: "pilothouse apiserver --secure-port 0", does: "on any free port, with certificates of its own" },
    { line: "pilothouse apiserver --token-auth-file tokens.csv", does: "with users of a file, as kube-apiserver" },
  ],
  kubeconfig: [
    { line: "pilothouse kubeconfig --merge", does: "make it the current context of ~/.kube/config" },
    { line: "pilothouse kubeconfig --user alice --group developers", does: "for a user with the rights that roles give" },
  ],
  get: [
    { line: "pilothouse get pods -w", does: "list pods, then what changes" },
    { line: "pilothouse get deploy/web -o yaml", does: "one object, whole" },
    { line: "pilothouse get svc,pods -A", does: "two resources, every namespace" },
  ],
  apply: [
    { line: "pilothouse apply -f web.yaml", does: "a file; a directory works too" },
    { line: "helm template web ./chart | pilothouse apply -f -", does: "standard input" },
    { line: "pilothouse apply --server-side -f web.yaml", does: "with field ownership and conflicts" },
  ],
  delete: [
    { line: "pilothouse delete deploy/web", does: "one object, and wait until it is gone" },
    { line: "pilothouse delete pods -l app=web", does: "those with a label" },
    { line: "pilothouse delete -f web.yaml", does: "the objects of a file" },
  ],
  logs: [
    { line: "pilothouse logs web-1", does: "what a pod printed" },
    { line: "pilothouse logs deploy/web -f", does: "of a pod of the Deployment, and go on" },
  ],
  top: [
    { line: "pilothouse top nodes", does: "CPU and memory of every node" },
    { line: "pilothouse top pods -l app=web", does: "of pods with a label" },
  ],
  auth: [
    { line: "pilothouse auth whoami", does: "the user that the server sees" },
    { line: "pilothouse auth can-i delete pods", does: "yes or no, and the exit code" },
  ],
  "auth can-i": [
    { line: "pilothouse auth can-i list deployments -n web", does: "one request" },
    { line: "pilothouse auth can-i get /metrics", does: "a path" },
    { line: "pilothouse auth can-i --list --as alice", does: "all that another user may do" },
  ],
  "auth whoami": [{ line: "pilothouse auth whoami", does: "the user and its groups" }],
  explain: [
    { line: "pilothouse explain deployment/web", does: "whether it is well, and the cause if not" },
    { line: "pilothouse explain -A", does: "everything in the cluster that is not well" },
    { line: "pilothouse explain pod/web-1 --history", does: "with what each controller saw, decided and did" },
  ],
  doctor: [{ line: "pilothouse doctor", does: "what is wrong with this machine or the cluster, and what to do" }],
  run: [
    { line: "pilothouse run --kubeconfig admin.conf", does: "all controllers, once this process leads" },
    { line: "pilothouse run --controllers=deployment,replicaset", does: "two of them" },
    { line: "pilothouse run --dry-run", does: "say what they would do, and change nothing" },
  ],
  kinds: [{ line: "pilothouse kinds generate crds/ > kinds.ts", does: "types and descriptors of the definitions there" }],
  "kinds generate": [{ line: "pilothouse kinds generate crds/ > kinds.ts", does: "of every definition in a directory" }],
  rbac: [{ line: "pilothouse rbac controller.ts > role.yaml", does: "what the controllers of a module may do, and no more" }],
  "envtest-assets": [{ line: "pilothouse envtest-assets bin/", does: "then KUBEBUILDER_ASSETS=$PWD/bin go test ./..." }],
  openstack: [{ line: "pilothouse openstack doctor", does: "check the cloud that kuryr.conf names" }],
  "openstack doctor": [{ line: "pilothouse openstack doctor --config-file kuryr.conf", does: "check the cloud that it names" }],
  "openstack orphans": [{ line: "pilothouse openstack orphans --delete", does: "remove what is left over" }],
  discovery: [{ line: "pilothouse discovery", does: "xDS for the cluster of the kubeconfig" }],
  "discovery bootstrap": [{ line: "pilothouse discovery bootstrap --for grpc > bootstrap.json", does: "then GRPC_XDS_BOOTSTRAP names it" }],
  "discovery watch": [{ line: "pilothouse discovery watch web.default:80", does: "what a client of that host receives" }],
  "discovery explain": [
    { line: "pilothouse discovery explain web.default.svc.cluster.local:8080 10.244.1.3", does: "why an endpoint is sent, or not" },
  ],
  version: [{ line: "pilothouse version", does: "of the program, and of the Kubernetes API" }],
  completion: [{ line: "source <(pilothouse completion bash)", does: "for this shell" }],
}

/** Groups, examples and colours of help; commander leaves colours out where there is no terminal, and where NO_COLOR is set. */
export function improveHelp(program: Command): void {
  // That of `help`, which commander adds.
  program.commandsGroup("Other:").helpCommand("help [command]", "display help for command")
  for (const [heading, names] of Object.entries(commandGroups))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading)
  improve(program)
  program.configureHelp({ ...program.configureHelp(), visibleCommands: inOrderOfGroups, groupItems: inOrderOfItems })
}

function improve(command: Command, words = ""): void {
  command.configureHelp({ styleTitle: bold, styleCommandText: cyan, styleSubcommandText: cyan, styleOptionText: cyan })
  const own = examples[words]
  if (own !== undefined) command.addHelpText("after", ({ error }) => (error ? "" : exampleText(own)))
  for (const one of command.commands) improve(one, words === "" ? one.name() : `${words} ${one.name()}`)
}

/** Groups come in the order of their first command. */
function inOrderOfGroups(command: Command): Command[] {
  const order = Object.values(commandGroups).flat()
  const place = (one: Command) => (order.includes(one.name()) ? order.indexOf(one.name()) : order.length)
  return new Help().visibleCommands(command).toSorted((one, other) => place(one) - place(other))
}

/** Commander takes the order of the groups from the commands as they were added. */
function inOrderOfItems<T extends Command | Option>(_added: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
  return new Help().groupItems(visible, visible, groupOf)
}

function exampleText(lines: readonly Example[]): string {
  const width = Math.max(...lines.map(({ line }) => line.length))
  return `\nExamples:\n${lines.map(({ line, does }) => `  ${line.padEnd(width)}  # ${does}`).join("\n")}`
}

function bold(text: string): string {
  return styleText("bold", text, { validateStream: false })
}

function cyan(text: string): string {
  return styleText("cyan", text, { validateStream: false })
}
