import { homedir, hostname, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { GivenSettings } from "@pilothouse/runtime"
import { type Log, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { ipAddress } from "../apiserver/address-flags.ts"
import { authorizationModesOf } from "../apiserver/warnings.ts"
import { addDirectoryOptions, type DirectoryOptions, directoryOf } from "../data-directory/choose-directory.ts"
import { type DataDirectory, openDataDirectory } from "../data-directory/data-directory.ts"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { type EmbeddedCluster, type EmbeddedClusterOptions, oneAddress, startEmbeddedCluster } from "../embedded/cluster.ts"
import { execAsRoot, takeExecLock } from "../embedded/exec-lock.ts"
import { schedulerProfiles } from "../embedded/scheduler-profiles.ts"
import { simulatedNodeNames } from "../embedded/simulated-nodes.ts"
import { commandWords } from "../flags/command-words.ts"
import { addControllerFlags, controllerSettingsOf } from "../flags/controller-settings.ts"
import { commaList, somePath, wholeNumber } from "../flags/flag-values.ts"
import { runtimeConfig } from "../flags/runtime-config.ts"
import { writeKubeconfig } from "../kubeconfig/kubeconfig.ts"
import { mergeKubeconfig, publishRenewed } from "../kubeconfig/merge-kubeconfig.ts"
import { writeCloudFiles } from "../openstack/embedded-files.ts"
import { closeInheritedDescriptors } from "../process/inherited-descriptors.ts"
import { ownAddresses } from "../process/own-addresses.ts"
import { waitForStopSignal } from "../process/process.ts"
import { progressLine } from "../process/progress-line.ts"
import { checkControllers } from "../run/controllers/check-controllers.ts"
import { runCommand } from "../up/run-command.ts"
import { startInBackground } from "../up/start-in-background.ts"
import { backgroundWelcome, factsLine, type UpFacts, welcome } from "../up/summary.ts"
import { applyManifests, manifestsOf } from "./apply.ts"

interface UpOptions extends DirectoryOptions {
  readonly port?: number
  readonly bindAddress?: string
  readonly nodes: number
  readonly controllers?: readonly string[]
  /** The flags of controllers that were given, by name. */
  readonly controllerSettings?: GivenSettings
  readonly ephemeral?: boolean
  readonly authorizationMode?: readonly string[]
  readonly runtimeConfig?: readonly string[]
  readonly schedulerConfig?: string
  readonly exec?: boolean
  /** False with --no-discovery. */
  readonly discovery: boolean
  readonly xdsPort?: number
  readonly openstack?: boolean
  readonly merge?: boolean
  readonly kubeconfig?: string
  readonly from?: readonly string[]
  readonly json?: boolean
  readonly detach?: boolean
}

export function addUpCommand(program: Command): void {
  const up = program
    .command("up")
    .usage("[options] [-- command...]")
    .description("start a cluster in this process; with a command behind --, run it with KUBECONFIG set and stop")
    .option("--port <number>", "port of the API server (default: 6443, or the next free one)", wholeNumber("--port", 0, 65_535))
    .option(
      "--bind-address <address>",
      "address of the API server (default: 127.0.0.1); with another one, other machines reach it too",
      ipAddress("--bind-address"),
    )
    .option(
      "--nodes <number>",
      "simulated nodes to begin with: node-1, node-2 …; those of an earlier start stay",
      wholeNumber("--nodes", 0, 1000),
      3,
    )
    .option("--controllers <list>", 'which controllers: "*" all that are on by default, "x" that one, "*,-x" all but that one', commaList)
  addDirectoryOptions(up, "where everything is kept: objects, certificates and the kubeconfig (default: .pilothouse)")
    .option("--ephemeral", "keep objects in memory only: a cluster that begins empty and is gone when it stops")
    .option(
      "--authorization-mode <modes>",
      "which user may do what, in this order: Node, RBAC, AlwaysAllow, AlwaysDeny (default: Node,RBAC)",
      commaList,
    )
    .option(
      "--runtime-config <versions>",
      "group versions to turn on, with their controllers: certificates.k8s.io/v1beta1=true,storagemigration.k8s.io/v1beta1=true",
      runtimeConfig,
    )
    .option("--scheduler-config <path>", "a KubeSchedulerConfiguration whose profiles the scheduler has", somePath("--scheduler-config"))
    .option("--exec", "run pods whose image is `process` as real processes on this host; this is no sandbox")
    .option("--no-discovery", "without xDS")
    .option("--xds-port <number>", "port of xDS (default: 15010, or the next free one)", wholeNumber("--xds-port", 0, 65_535))
    .option(
      "--openstack",
      "with an OpenStack in this process: pods are Neutron ports, Services Octavia load balancers; kept in memory only",
    )
    .option("--kubeconfig <path>", "where to write the kubeconfig (default: kubeconfig in the data directory)", somePath("--kubeconfig"))
    .option("--from <path...>", "files or directories of objects to apply when the cluster is up")
    .option("--json", "print what runs and where as one line of JSON, for programs")
    .option("--merge", "also put the cluster into ~/.kube/config and make it the current context")
    .option("--detach", "start it in the background, and end when it is up; `pilothouse down` stops it")
    .addHelpText(
      "after",
      "\nThe flags of the controllers are those of `pilothouse run`, such as --terminated-pod-gc-threshold: docs/reference/controllers.md has them.",
    )
    .action((options: UpOptions, command: Command) =>
      start({ ...options, controllerSettings: controllerSettingsOf(command) }, commandWords(command)),
    )
  addControllerFlags(up)
}

async function start(options: UpOptions, words: readonly string[] | undefined): Promise<void> {
  refuseContradictions(options, words)
  if (words === undefined) return options.detach ? startDetached(options) : serve({ ...options, directory: resolve(directoryOf(options)) })
  using place = placeOfCommand(options)
  await serve({ ...options, ...place, words })
}

function refuseContradictions(options: UpOptions, words: readonly string[] | undefined): void {
  const refuse = (expected: string, found: string) => {
    throw new PilothouseError("USAGE", `expected ${expected}, found ${found}`)
  }
  if (options.openstack && options.exec) refuse("one of --openstack and --exec", "both: real processes have addresses of this host")
  if (!options.discovery && options.xdsPort !== undefined) refuse("one of --no-discovery and --xds-port", "both")
  if (words !== undefined && words[0] === undefined) refuse('a command behind "--", such as pilothouse up -- npm test', "nothing")
  if (words !== undefined && options.detach)
    refuse('one of --detach and a command behind "--"', "both: the command's end stops the cluster")
  if (words !== undefined && options.json) refuse('one of --json and a command behind "--"', "both: standard output is the command's")
  if (options.detach && options.from?.includes("-")) refuse("files for --from of a cluster in the background", "standard input")
  if (options.controllers !== undefined) checkControllers(options.controllers)
  authorizationModesOf(options.authorizationMode)
}

/** A command gets a cluster of its own, of which nothing is left, unless the flags name one. */
function placeOfCommand(options: UpOptions): Disposable & { readonly directory: string; readonly ephemeral?: boolean } {
  if (options.dataDir !== undefined || options.name !== undefined)
    return { directory: resolve(directoryOf(options)), ephemeral: options.ephemeral, [Symbol.dispose]() {} }
  // Not to be guessed by other users of the directory for temporary files.
  const directory = join(tmpdir(), `pilothouse-${systemRandom().uuid()}`)
  systemFiles.makeDirectory(directory, 0o700)
  return { directory, ephemeral: true, [Symbol.dispose]: () => systemFiles.remove(directory) }
}

async function startDetached(options: UpOptions): Promise<void> {
  const path = resolve(directoryOf(options))
  // What is wrong with the directory is reported by this process; it is free for the other one then.
  openDataDirectory({ files: systemFiles, system: ownerSystem, path, ephemeral: options.ephemeral })[Symbol.dispose]()
  const line = await startInBackground({ directory: path, files: systemFiles })
  process.stdout.write(options.json ? `${line}\n` : backgroundWelcome(JSON.parse(line) as UpFacts, directoryFlags(options)))
}

function directoryFlags({ name, dataDir }: DirectoryOptions): string {
  if (name !== undefined) return ` --name ${name}`
  return dataDir === undefined ? "" : ` --data-dir ${dataDir}`
}

interface ServeOptions extends UpOptions {
  /** The absolute data directory. */
  readonly directory: string
  /** The command to run beside the cluster, which ends with it. */
  readonly words?: readonly string[]
}

async function serve(options: ServeOptions): Promise<void> {
  const started = systemClock.elapsed()
  // A wrong path is reported before anything is started.
  const manifests = await manifestsOf(options.from ?? [])
  // The cloud forgets what it has when it stops: ports that pods remember would not exist any more.
  const ephemeral = options.ephemeral || options.openstack
  using directory = openDataDirectory({ files: systemFiles, system: ownerSystem, path: options.directory, ephemeral })
  const log = textLog("warn", undefined, systemClock)
  if (options.exec) prepareExec(log)
  using _onlyOne = options.exec ? await takeExecLock(oneAddress, log) : undefined
  const isSilent = options.json || options.words !== undefined
  using progress = progressLine(process.stdout, { silent: isSilent })
  const { own: kubeconfigPath, merged } = kubeconfigPaths(options, directory.path)
  await using cluster = await startEmbeddedCluster({
    ...settingsOf(options, directory, log),
    ephemeral,
    kubeconfigRenewed: async (issued, after) => publishRenewed(systemFiles, [kubeconfigPath, ...merged], { issued, after, log }),
    progress: progress.step,
  })
  const notes = [writeKubeconfig(systemFiles, kubeconfigPath, cluster.kubeconfig)]
  using _cloudFiles = cluster.openstack && writeCloudFiles(systemFiles, directory.path, cluster.openstack)
  for (const path of merged) notes.push(mergeKubeconfig(systemFiles, path, cluster.kubeconfig))
  progress.end()
  for (const note of notes.filter((text) => text !== undefined)) process.stderr.write(`pilothouse: ${note}\n`)
  const say = isSilent ? () => {} : (line: string) => void process.stdout.write(`${line}\n`)
  await applyManifests(cluster.client, manifests, { namespace: "default" }, say).catch((error: unknown) => {
    if (!(error instanceof PilothouseError)) throw error
    throw new PilothouseError(error.code, `${error.message}\nThe cluster was stopped: mend what is in --from, and start it again`, {
      cause: error,
    })
  })
  directory.describeOwner({ url: cluster.url, kubeconfig: kubeconfigPath })
  // Awaited here: the cluster is stopped when this function ends.
  if (options.words === undefined) return await untilStopped(cluster, { ...options, kubeconfigPath, started, lost: directory.lost })
  process.exitCode = await runCommand({ words: options.words, kubeconfig: kubeconfigPath, lost: directory.lost })
}

/** What the flags say of the cluster, and what it uses of the system. */
function settingsOf(options: ServeOptions, directory: DataDirectory, log: Log): EmbeddedClusterOptions {
  return {
    dataDirectory: directory.path,
    port: options.port,
    bindAddress: options.bindAddress,
    addresses: options.bindAddress === undefined ? undefined : ownAddresses(),
    nodes: options.nodes,
    controllers: options.controllers,
    controllerSettings: options.controllerSettings,
    authorizationModes: authorizationModesOf(options.authorizationMode),
    enabledVersions: options.runtimeConfig,
    schedulerProfiles: options.schedulerConfig === undefined ? undefined : schedulerProfiles(systemFiles, options.schedulerConfig),
    isOwner: directory.isOwner,
    exec: options.exec,
    discovery: options.discovery,
    xdsPort: options.xdsPort,
    openstack: options.openstack,
    clock: systemClock,
    random: systemRandom(),
    files: systemFiles,
    log,
    hostname: hostname(),
  }
}

interface UntilStoppedOptions extends ServeOptions {
  readonly kubeconfigPath: string
  /** When the start began, by the clock of the system. */
  readonly started: number
  readonly lost: Promise<never>
}

/** Says that the cluster is up, and waits for a signal or for the loss of its directory. */
async function untilStopped(cluster: EmbeddedCluster, options: UntilStoppedOptions): Promise<void> {
  const nodes = await simulatedNodeNames(cluster.client)
  const took = systemClock.elapsed() - options.started
  // A program that reads that it is up may stop it in the same moment.
  const stopped = waitForStopSignal(true, options.lost)
  const summary = { ...cluster, nodes, kubeconfigPath: options.kubeconfigPath, milliseconds: Math.round(took) }
  process.stdout.write(options.json ? factsLine(summary) : welcome(summary, options, directoryOf(options)))
  await stopped
  if (!options.json) process.stdout.write("stopping\n")
}

/** Real processes are about to be started. */
function prepareExec(log: Log): void {
  closeInheritedDescriptors()
  if (process.getuid?.() === 0) log.warn(execAsRoot)
}

/** The file of its own, and those of others that the cluster is put into. */
function kubeconfigPaths(
  { kubeconfig, merge }: UpOptions,
  directory: string,
): { readonly own: string; readonly merged: readonly string[] } {
  const own = kubeconfig === undefined ? join(directory, "kubeconfig") : resolve(kubeconfig)
  return { own, merged: merge ? [join(homedir(), ".kube", "config")] : [] }
}
