import { dirname, resolve } from "node:path"
import { type AdmissionOptions, type PluginConfiguration, readPluginConfiguration } from "@pilothouse/apiserver"
import { type Files, messageOf, PilothouseError } from "@pilothouse/seams"
import { parse } from "yaml"
import { fileOf } from "../certificates/pem-files.ts"
import { connectReviewServer } from "./review-server.ts"
import type { Seams } from "./start.ts"

const flag = "--admission-control-config-file"
/** Milliseconds of one try, as upstream's clients of webhooks have them. */
const reviewTimeout = 30_000
const apiVersions = ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"]

interface AdmissionConfiguration {
  readonly apiVersion?: string
  readonly kind?: string
  readonly plugins?: readonly { readonly name?: string; readonly path?: string; readonly configuration?: unknown }[]
}

/** Reads --admission-control-config-file and the files that it names, whose paths are relative to it. */
export function admissionConfigurationOf(path: string | undefined, files: Files): PluginConfiguration {
  if (path === undefined) return {}
  const { apiVersion = "", kind = "", plugins = [] } = parsedFile(files, path) as AdmissionConfiguration
  if (kind !== "AdmissionConfiguration" || !apiVersions.includes(apiVersion)) {
    const found = `${kind || "no kind"} of ${apiVersion || "no apiVersion"}`
    throw new PilothouseError("USAGE", `${flag}: expected an AdmissionConfiguration of ${apiVersions[0]} in ${path}, found ${found}`)
  }
  const parts = plugins.map((plugin): readonly [string, unknown] => [
    plugin.name ?? "",
    plugin.configuration ?? (plugin.path ? parsedFile(files, resolve(dirname(path), plugin.path)) : undefined),
  ])
  try {
    return readPluginConfiguration(new Map(parts.filter(([, part]) => part !== undefined)))
  } catch (error) {
    throw new PilothouseError("USAGE", `${flag}: ${messageOf(error)}`, { cause: error })
  }
}

/** Connects to the webhook that the configuration of ImagePolicyWebhook names; a server with the plugin does not start without one. */
export async function imagePolicyOf(
  { ImagePolicyWebhook: settings }: PluginConfiguration,
  seams: Pick<Seams, "clock" | "files" | "log" | "random">,
  opened: AsyncDisposableStack,
): Promise<AdmissionOptions["imagePolicy"]> {
  const failed = (why: string) => new PilothouseError("USAGE", `couldn't init admission plugin "ImagePolicyWebhook": ${why}`)
  if (settings === undefined) throw failed(`no config specified; give it one with ${flag}`)
  const { clock, random, log } = seams
  try {
    const { server } = opened.use(await connectReviewServer(settings.kubeConfigFile, seams))
    return { ...settings, clock, random, log, server, timeout: reviewTimeout }
  } catch (error) {
    throw failed(messageOf(error))
  }
}

function parsedFile(files: Files, path: string): unknown {
  const text = fileOf(files, flag, path)
  try {
    return parse(text) ?? {}
  } catch (error) {
    throw new PilothouseError("USAGE", `${flag}: expected YAML or JSON in ${path}, found something else (${messageOf(error)})`)
  }
}
