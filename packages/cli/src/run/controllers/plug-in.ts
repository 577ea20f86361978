import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { createProviderIn, makeProvider } from "@pilothouse/cloud"
import { type Clock, type Files, type Log, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import type { OwnSettings } from "../flags/flags.ts"
import type { OpenProvider } from "./cloud-provider.ts"

export interface OpenedPlugIn extends AsyncDisposable {
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
