import { type Clock, type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import type { CloudProvider } from "./provider.ts"

/** What a plug-in is given to make its provider from. */
export interface CloudProviderOptions {
  readonly clusterName: string
  /** The text of the file that --cloud-config names; empty without one. */
  readonly config: string
  readonly clock: Clock
  readonly log: Log
}

/** Makes the provider of a plug-in. Disposing the provider, where it can be disposed, closes what it has open. */
export type CreateCloudProvider = (
  options: CloudProviderOptions,
) => (CloudProvider & Partial<AsyncDisposable>) | Promise<CloudProvider & Partial<AsyncDisposable>>

/** The methods of each capability: a provider that lacks one would fail in the middle of its work. */
const methods = {
  loadBalancers: ["name", "get", "ensure", "update", "ensureDeleted"],
  instances: ["exists", "isShutDown", "metadata"],
  routes: ["list", "create", "delete"],
} as const

/** Returns the function of a plug-in's module that makes its provider: `createCloudProvider`, or the default export. */
export function createProviderIn(module: unknown, from: string): CreateCloudProvider {
  const exported = (module ?? {}) as Readonly<Record<string, unknown>>
  const create = exported.createCloudProvider ?? exported.default
  if (typeof create === "function") return create as CreateCloudProvider
  const names = Object.keys(exported).join(", ") || "nothing"
  throw new PilothouseError("USAGE", `expected ${from} to export a function createCloudProvider, found exports: ${names}`)
}

/** Makes the provider of a plug-in and checks its form; every failure names the plug-in. */
export async function makeProvider(
  create: CreateCloudProvider,
  options: CloudProviderOptions,
  from: string,
): Promise<CloudProvider & Partial<AsyncDisposable>> {
  const made: unknown = await attempt(create, options, from)
  const fault = faultOf(made)
  if (fault !== undefined) throw new PilothouseError("CLOUD", `${from}: ${fault}`)
  return made as CloudProvider & Partial<AsyncDisposable>
}

async function attempt(create: CreateCloudProvider, options: CloudProviderOptions, from: string): Promise<unknown> {
  try {
    return await create(options)
  } catch (cause) {
    throw new PilothouseError("CLOUD", `${from}: ${messageOf(cause)}`, { cause })
  }
}

/** What is wrong with the form of a provider, in words. */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return `expected a cloud provider, found ${String(value)}`
  const provider = value as Readonly<Record<string, unknown>>
  if (typeof provider.name !== "string" || provider.name === "") return `expected a provider with a name, found ${String(provider.name)}`
  for (const [capability, names] of Object.entries(methods)) {
    const part = provider[capability] as Readonly<Record<string, unknown>> | undefined
    if (part === undefined) continue
    const missing = names.find((name) => typeof part?.[name] !== "function")
    if (missing !== undefined) return `expected ${capability} with the methods ${names.join(", ")}, found no ${missing}`
  }
  if (Object.keys(methods).some((capability) => provider[capability] !== undefined)) return undefined
  return `expected a provider with ${Object.keys(methods).join(", ")} or some of them, found none`
}
