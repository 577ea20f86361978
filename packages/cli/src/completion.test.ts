import { expect, test } from "vitest"
import { completionScript } from "./completion.ts"
import { pilothouseProgram } from "./program.ts"

test.each(["bash", "zsh", "fish"] as const)("%s: every command, and the flags of each", async (shell) => {
  const program = await pilothouseProgram()
  const script = completionScript(shell, program)
  for (const command of program.commands) expect(script).toContain(command.name())
  expect(script).toMatch(/ephemeral/)
})
