import type { Metrics, Transport } from "@pilothouse/seams"
import type { CloudSettings } from "../../openstack/cloud-settings.ts"
import type { RunningHandlers } from "../../openstack/run-handlers.ts"
import type { OwnSettings } from "../flags/flags.ts"
import type { RunSeams } from "../flags/run-options.ts"
import type { OpenProvider } from "./cloud-provider.ts"
import { findPlugIn, openPlugIn } from "./plug-in.ts"

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
