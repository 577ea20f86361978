import { binaryPath } from "./cache.ts"
import { type Component, label } from "./component.ts"
import { CannotBeHad } from "./errors.ts"
import { run } from "./run.ts"

/** Runs every program once: one that does not start here, or is another version than the table says, must not enter the cache. */
export async function verify(component: Component, directory: string, signal: AbortSignal): Promise<void> {
  for (const { name, versionArguments, expected } of component.binaries) {
    const todo = `correct the row of ${label(component)} in tools/components/components.ts`
    const command = binaryPath(directory, name)
    const errors: string[] = []
    const onLine = (line: string) => void errors.push(line)
    // Go's own flags are explained on standard error.
    const output = [await run({ command, arguments: versionArguments, signal, missing: todo, failing: todo, onLine }), ...errors].join("\n")
    if (!output.includes(expected)) throw new CannotBeHad({ expected: `${name} to say version ${expected}`, found: output.trim(), todo })
  }
}
