import { cacheRoot, componentDirectory, isCached, makeInCache } from "./cache.ts"
import { type Component, label, type Progress } from "./component.ts"
import { components } from "./components.ts"
import { CannotBeHad } from "./errors.ts"
import { select } from "./select.ts"
import { verify } from "./verify.ts"

export interface EnsureOptions {
  onProgress?: Progress
  signal?: AbortSignal
  root?: string
  table?: readonly Component[]
}

export interface Installed {
  component: Component
  directory: string
  /** True when it was there before this call. */
  already: boolean
}

/** Gets what a name means (`kubectl`: every version; `kubectl@1.35`: one), downloading or compiling what is not cached. */
export async function ensure(name: string, options: EnsureOptions = {}): Promise<Installed[]> {
  const installed: Installed[] = []
  for (const component of select(options.table ?? components, name)) installed.push(await ensureOne(component, options))
  return installed
}

async function ensureOne(component: Component, options: EnsureOptions): Promise<Installed> {
  const { onProgress = () => {}, signal = new AbortController().signal, root = cacheRoot() } = options
  if (isCached(component, root)) return { component, directory: componentDirectory(component, root), already: true }
  const progress: Progress = (line) => onProgress(`${label(component)}: ${line}`)
  try {
    refuseOtherPlatforms(component)
    const directory = await makeInCache(component, root, { progress, signal }, (made, at) => verify(made, at, signal))
    return { component, directory, already: false }
  } catch (error) {
    if (error instanceof CannotBeHad) throw new CannotBeHad({ ...error.lack, component: label(component), cause: error })
    throw error
  }
}

function refuseOtherPlatforms({ platforms, source }: Component): void {
  const here = `${process.platform}-${process.arch}`
  if (platforms === undefined || platforms.includes(here)) return
  throw new CannotBeHad({
    expected: `a machine of ${platforms.join(" or ")}, all that ${source} holds programs for`,
    found: here,
    todo: "run it on such a machine or in such a container",
  })
}
