/** Functions of upstream's suite that do not pass yet, and the feature that each lacks; docs/parity.md shows the same list. */
export const expectedFailures: Readonly<Record<string, string>> = {
  run_multi_resources_tests:
    "nothing known: its last step applies a file from the Internet, and fails on a real server without it too; all before it passes",
}
