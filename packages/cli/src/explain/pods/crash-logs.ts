import type { Pod } from "@pilothouse/api/core/v1"
import { type ExplainContext, shownCommand } from "../explain-context.ts"

/** An exit code says little: where to read what containers printed that end again and again. */
export function crashLogLines({ metadata, spec, status }: Pod, { defaultNamespace }: ExplainContext): readonly string[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const crashing = all.filter(({ state }) => state?.waiting?.reason === "CrashLoopBackOff")
  const isOnly = (spec?.containers ?? []).length + (spec?.initContainers ?? []).length === 1
  return crashing.map(({ name }) => {
    const command = `pilothouse logs ${metadata.name} -p${isOnly ? "" : ` -c ${name}`}`
    return `${shownCommand(command, metadata.namespace, defaultNamespace)} shows what ${isOnly ? "it" : name} printed`
  })
}
