import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "../program.ts"

afterEach(() => {
  vi.restoreAllMocks()
})

test.each<[args: readonly string[], message: string]>([
  [["scale", "deploy/web", "--replicas=3"], "unknown command 'scale'\n(kubectl does that: kubectl scale … works with the same kubeconfig)"],
  [["rollout", "status", "deploy/web"], "kubectl does that: kubectl rollout …"],
  [["exec", "web", "--", "ls"], "kubectl does that: kubectl exec …"],
  [["apply", "-k", "base"], "kubectl does that: kubectl apply -k base, or kubectl kustomize base | pilothouse apply -f -"],
  [["delete", "-k", "base"], "kubectl does that: kubectl delete -k base"],
])("%j is refused with who does it", async (args, message) => {
  const written: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  expect(await runProgram(args)).toBe(2)
  expect(written.join("")).toContain(message)
})
