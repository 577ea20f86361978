import { namespaces } from "@pilothouse/api/core/v1"
import { type CloudAccess, cloudOfKuryrConf, kuryr, openStack } from "@pilothouse/openstack"
import { type Files, messageOf, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { type Command, Option } from "commander"
import { addConnectionOptions, type ConnectionOptions, kubeconfigOfEnvironment, openConnection } from "../client/connection.ts"
import { formatFindings } from "../doctor/check.ts"
import { goDuration, somePath } from "../flags/flag-values.ts"
import { type CloudPlace, type CloudSettings, cloudSettings, sectionsIn } from "../openstack/cloud-settings.ts"
import { clusterInKuryrConf, type KubeconfigPlace } from "../openstack/cluster-choice.ts"
import { examine } from "../openstack/doctor/doctor.ts"
import { localConf } from "../openstack/embedded-files.ts"
import { systemPlace } from "../openstack/environment.ts"
import { httpConnect } from "../openstack/http-connect.ts"
import { orphans } from "../openstack/orphans.ts"

interface OpenStackOptions extends ConnectionOptions {
  readonly configFile?: string
  readonly osCloud?: string
}

interface OrphanFlags extends OpenStackOptions {
  readonly delete?: boolean
  readonly grace: number
}

export function addOpenStackCommand(program: Command): void {
  const command = program
    .command("openstack")
    .description("what a cluster has on OpenStack: doctor checks it, orphans lists what is left over")
  addOptions(command.command("doctor"))
    .description(
      "check credentials, catalog, versions, subnets, security groups and quotas, and who makes load balancers; and say what to do",
    )
    .action(doctor)
  addOptions(command.command("orphans"))
    .description("list ports, load balancers and floating IPs of pods and Services that are gone")
    .option("--delete", "remove them, after the grace time")
    .addOption(
      new Option("--grace <duration>", "how long something has to be without an owner before it is removed")
        .argParser(goDuration("--grace", true))
        .default(60_000, "1m0s"),
    )
    .action(listOrphans)
}

function addOptions(command: Command): Command {
  return addConnectionOptions(command)
    .option("--config-file <path>", "kuryr.conf (default: that of `up --openstack` here)", somePath("--config-file"))
    .option("--os-cloud <name>", "a cloud of clouds.yaml (default: [neutron] of kuryr.conf, $OS_CLOUD, or the OS_* variables)")
}

function settingsFor({ configFile, osCloud = "" }: OpenStackOptions, place: CloudPlace): CloudSettings & { readonly foundHere?: string } {
  const foundHere = configFile === undefined && osCloud === "" && isOwn(place.files) ? localConf : undefined
  return { ...cloudSettings({ configFile: configFile ?? foundHere ?? "", cloud: osCloud }, place), foundHere }
}

/** The user did not name that file, and it may have come with a cloned repository: it may only lead to this machine. */
function isOwn(files: Files): boolean {
  if (files.facts(localConf) === undefined) return false
  const access = cloudOfKuryrConf(sectionsIn(localConf, files) as never)
  return access !== undefined && new URL(access.authUrl).hostname === "127.0.0.1"
}

function cloudOf(access: CloudAccess, { lbaasDriver }: CloudSettings["configuration"], place: CloudPlace) {
  const http = httpConnect(access, { clock: systemClock, files: place.files })
  const loadBalancing = lbaasDriver === "lbaasv2" ? "neutron-lbaas" : "octavia"
  const cloud = openStack({ access, connect: http.connect, clock: systemClock, loadBalancing })
  return { cloud, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() }
}

/** The cluster that `run --openstack` would choose: what a flag says, then what [kubernetes] of a kuryr.conf says that was asked for by name. */
function clusterFor({ configFile, kubeconfig, context }: OpenStackOptions, files: Files): KubeconfigPlace | undefined {
  if (configFile === undefined || kubeconfig !== undefined || context !== undefined) return undefined
  return clusterInKuryrConf(configFile, files)
}

async function doctor(options: OpenStackOptions): Promise<void> {
  const place = systemPlace()
  const { access, configuration, foundHere, repeated } = settingsFor(options, place)
  await using opened = cloudOf(access, configuration, place)
  const where = clusterFor(options, place.files)
  await using connection = await openConnection(options, where).catch((error: unknown) => {
    // One that was asked for has to be there.
    const asked = options.kubeconfig ?? options.context ?? where ?? kubeconfigOfEnvironment()
    if (asked !== undefined) throw error
    process.stderr.write(`without a cluster: ${messageOf(error)}\n`)
    return undefined
  })
  const { signal } = new AbortController()
  const cluster = { client: connection?.client, server: connection?.server }
  const read = { configuration, foundHere, repeated }
  const findings = await examine({ cloud: opened.cloud, ...read, clock: systemClock, ...cluster, signal })
  process.stdout.write(formatFindings(findings))
  if (findings.some(({ state }) => state === "problem")) process.exitCode = 1
}

async function listOrphans(options: OrphanFlags): Promise<void> {
  const place = systemPlace()
  const { access, configuration } = settingsFor(options, place)
  await using opened = cloudOf(access, configuration, place)
  await using connection = await openConnection(options, clusterFor(options, place.files))
  const { metadata } = await connection.client.get(namespaces, "kube-system")
  const cluster = metadata.uid ?? ""
  const seams = { clock: systemClock, random: systemRandom(), log: silentLog }
  const { drivers } = kuryr({ ...seams, cloud: opened.cloud, configuration, cluster, dryRun: true })
  await orphans({
    client: connection.client,
    cloud: opened.cloud,
    driver: drivers.pods.driver,
    cluster,
    project: configuration.project,
    clock: systemClock,
    delete: options.delete ?? false,
    grace: options.grace,
    signal: new AbortController().signal,
    print: (line) => void process.stdout.write(`${line}\n`),
  })
}
