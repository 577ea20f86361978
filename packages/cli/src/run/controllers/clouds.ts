import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { createProviderIn, makeProvider } from "@pilothouse/cloud"
import { type Clock, type Files, type Log, type Metrics, messageOf, PilothouseError, readText, type Transport } from "@pilothouse/seams"
import type { CloudSettings } from "../../openstack/cloud-settings.ts"
import type { RunningHandlers } from "../../openstack/run-handlers.ts"
import type { OwnSettings } from "../flags/flags.ts"
import type { RunSeams } from "../flags/run-options.ts"
import type { OpenProvider } from "./cloud-provider.ts"

export interface CloudSeams extends RunSeams {
  readonly metrics: Metrics
  /** To the API server. */
  readonly transport: Transport
  readonly signal: AbortSignal
}

/** What `run` has open in a cloud. Disposing closes it. */
export interface OpenClouds extends AsyncDisposable {
  readonly handlers?: RunningHandlers
  /** The provider of --cloud-provider, where it is openstack or a plug-in. */
  readonly provider?: OpenProvider
}

/** Before anything is opened: what is missing of the handlers' settings is named at once, whether or not there is a cluster. */
export async function checkCloudSettings(own: OwnSettings): Promise<void> {
  if (own.openstack) await handlersSettings(own)
  else if (isPlugIn(own["cloud-provider"])) await findPlugIn(own["cloud-provider"])
}

/** The clouds that are here. "external": another program looks after the cloud, as upstream means it. Every other word names a plug-in. */
const builtIn: ReadonlySet<string> = new Set(["", "external", "memory", "openstack"])

function isPlugIn(provider: string): boolean {
  return !builtIn.has(provider)
}

async function handlersSettings(own: OwnSettings): Promise<CloudSettings> {
  const [{ cloudSettings }, { systemPlace }] = await Promise.all([
    import("../../openstack/cloud-settings.ts"),
    import("../../openstack/environment.ts"),
  ])
  return cloudSettings({ configFile: own["config-file"], cloud: own["os-cloud"] }, systemPlace())
}

/** Loads what speaks to OpenStack only for those who asked for it. */
export async function openClouds(own: OwnSettings, seams: CloudSeams): Promise<OpenClouds> {
  if (own.openstack) {
    const [settings, { runHandlers }] = await Promise.all([handlersSettings(own), import("../../openstack/run-handlers.ts")])
    const handlers = await runHandlers({ ...settings, ...seams, dryRun: own["dry-run"] })
    return { handlers, [Symbol.asyncDispose]: () => handlers[Symbol.asyncDispose]() }
  }
  if (isPlugIn(own["cloud-provider"])) return openPlugIn(own, seams)
  if (own["cloud-provider"] !== "openstack") return { async [Symbol.asyncDispose]() {} }
  const [{ octaviaProvider }, { systemPlace }] = await Promise.all([
    import("../../openstack/octavia-provider.ts"),
    import("../../openstack/environment.ts"),
  ])
  const made = octaviaProvider(own, systemPlace(), seams)
  return { provider: made.provider, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() }
}

interface OpenedPlugIn extends AsyncDisposable {
  readonly provider: OpenProvider
}

/**
 * Loads the module of a plug-in and makes its provider. A plug-in that is not there, or is none, ends the program; one that cannot reach its cloud
 * does not: its controllers become failed health checks, as those of every provider.
 */
export async function openPlugIn(
  own: Pick<OwnSettings, "cloud-provider" | "cloud-config" | "cluster-name">,
  { files, clock, log }: { readonly files: Files; readonly clock: Clock; readonly log: Log },
): Promise<OpenedPlugIn> {
  const { "cloud-provider": name, "cloud-config": path, "cluster-name": clusterName } = own
  const config = path === "" ? "" : readText(files, path)
  if (config === undefined)
    throw new PilothouseError("USAGE", `--cloud-config: expected the configuration of ${name} at ${path}, found no such file`)
  const create = createProviderIn(await findPlugIn(name), `--cloud-provider ${name}`)
  try {
    const provider = await makeProvider(create, { clusterName, config, clock, log }, `--cloud-provider ${name}`)
    return { provider: () => provider, [Symbol.asyncDispose]: async () => provider[Symbol.asyncDispose]?.() }
  } catch (error) {
    const provider = () => {
      throw error
    }
    return { provider, async [Symbol.asyncDispose]() {} }
  }
}

/** Imports the module that the words of --cloud-provider name: a file of this directory, or a package that is installed here or beside Pilothouse. */
export async function findPlugIn(name: string): Promise<unknown> {
  const address = addressOf(name)
  if (address === undefined)
    throw new PilothouseError(
      "USAGE",
      `--cloud-provider: expected openstack, memory, external, nothing, a file such as ./provider.js or an installed package, found "${name}", which is none of them`,
    )
  try {
    return await import(address)
  } catch (cause) {
    throw new PilothouseError("USAGE", `--cloud-provider: expected a module at ${name}, found: ${messageOf(cause)}`, { cause })
  }
}

function addressOf(name: string): string | undefined {
  if (/^(\.{0,2}\/|file:)/.test(name)) return name.startsWith("file:") ? name : pathToFileURL(resolve(name)).href
  return (
    packageAt(() => pathToFileURL(createRequire(join(process.cwd(), "package.json")).resolve(name)).href) ??
    packageAt(() => import.meta.resolve(name))
  )
}

/** A package that is not there, or lets the place not import it, has no address there. */
function packageAt(find: () => string): string | undefined {
  try {
    return find()
  } catch {
    return undefined
  }
}
