import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Component } from "../component.ts"

/** A component for tests: a script that says its version, made without any registry. */
export function testComponent(differences: Partial<Component> = {}): Component {
  const version = differences.version ?? "1.2.3"
  return {
    name: "tool",
    version,
    compiled: false,
    source: "a test",
    binaries: [{ name: "tool", versionArguments: ["--version"], expected: version }],
    make: ({ directory, progress }) => {
      progress("writing")
      return writeTool(directory, version)
    },
    ...differences,
  }
}

export async function writeTool(directory: string, says: string): Promise<void> {
  await mkdir(join(directory, "bin"), { recursive: true })
  await writeFile(join(directory, "bin", "tool"), `#!/bin/sh\necho tool ${says}\n`, { mode: 0o755 })
}
