import { describe } from "vitest"
import { itComesTo } from "../../testing/expression-table.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"

const environment = kubernetesEnvironment()

describe("texts that are versions", () => {
  itComesTo(
    [
      ["isSemver('1.2.3')", "true", 1],
      ["isSemver('0.0.0')", "true", 1],
      ["isSemver('1.2.3-rc.1')", "true", 1],
      ["isSemver('1.2.3+build.7')", "true", 2],
      ["isSemver('1.2.3-rc.1+build.7')", "true", 2],
      ["isSemver('10.20.30-alpha-x')", "true", 2],
      ["isSemver('v1.2.3')", "false", 1],
      ["isSemver('1.2')", "false", 1],
      ["isSemver('1')", "false", 1],
      ["isSemver('01.2.3')", "false", 1],
      ["isSemver('1.2.03')", "false", 1],
      ["isSemver('1.2.3-')", "false", 1],
      ["isSemver('1.2.3-01')", "false", 1],
      ["isSemver('1.2.3+')", "false", 1],
      ["isSemver('1.2.3.4')", "false", 1],
      ["isSemver('-1.2.3')", "false", 1],
      ["isSemver('')", "false", 0],
      ["isSemver('1.2.3 ')", "false", 1],
      ["isSemver('v1.2.3', true)", "true", 1],
      ["isSemver('v1', true)", "true", 1],
      ["isSemver('1.2', true)", "true", 1],
      ["isSemver('01.02.03', true)", "true", 1],
      ["isSemver('1.2-rc', true)", "false", 1],
      ["isSemver('V1.2.3', true)", "false", 1],
      ["isSemver('v1.2.3', false)", "false", 1],
      ["isSemver('words', true)", "false", 1],
      ["semver('1.2')", "fails: No Major.Minor.Patch elements found", 1],
      ["semver('v1.2.3')", 'fails: Invalid character(s) found in major number "v1"', 1],
      ["semver('words')", "fails: No Major.Minor.Patch elements found", 1],
      ["semver('01.2.3')", 'fails: Major number must not contain leading zeroes "01"', 1],
      ["semver('1.2.3-01')", 'fails: Numeric PreRelease version must not contain leading zeroes "01"', 1],
      ["semver('1.2.3-a!')", 'fails: Invalid character(s) found in prerelease "a!"', 1],
      ["semver('words', true)", 'fails: Invalid character(s) found in major number "0words"', 1],
      ["type(semver('1.2.3')) == kubernetes.Semver", "refused: undeclared reference to 'kubernetes' (in container '')", 0],
    ],
    environment,
  )
})

describe("order", () => {
  itComesTo(
    [
      ["semver('1.2.3') == semver('1.2.3')", "true", 3],
      ["semver('1.2.3') == semver('1.2.4')", "false", 3],
      ["semver('1.2.3+a') == semver('1.2.3+b')", "true", 3],
      ["semver('1.2.3-a') == semver('1.2.3')", "false", 3],
      ["semver('v1.2', true) == semver('1.2.0')", "true", 3],
      ["semver('01.2.3', true) == semver('1.2.3')", "true", 3],
      ["semver('1.2.3') != semver('1.2.3-a')", "true", 3],
      ["semver('2.0.0').isGreaterThan(semver('1.99.99'))", "true", 3],
      ["semver('1.10.0').isGreaterThan(semver('1.9.0'))", "true", 3],
      ["semver('1.2.3').isGreaterThan(semver('1.2.3'))", "false", 3],
      ["semver('1.2.3-rc.2').isGreaterThan(semver('1.2.3-rc.10'))", "false", 4],
      ["semver('1.2.3-rc').isLessThan(semver('1.2.3'))", "true", 3],
      ["semver('1.2.3-1').isLessThan(semver('1.2.3-a'))", "true", 3],
      ["semver('1.2.3-a').isLessThan(semver('1.2.3-a.1'))", "true", 3],
      ["semver('1.2.3').isLessThan(semver('1.2.3+z'))", "false", 3],
      ["semver('1.2.3').compareTo(semver('1.2.4'))", "-1", 3],
      ["semver('1.2.3').compareTo(semver('1.2.3'))", "0", 3],
      ["semver('1.3.0').compareTo(semver('1.2.9'))", "1", 3],
    ],
    environment,
  )
})

describe("parts", () => {
  itComesTo(
    [
      ["semver('4.5.6').major()", "4", 2],
      ["semver('4.5.6').minor()", "5", 2],
      ["semver('4.5.6-rc').patch()", "6", 2],
      ["semver('v4', true).minor()", "0", 2],
      ["semver(1)", "refused: found no matching overload for 'semver' applied to '(int)'", 0],
      [
        "semver('1.2.3') < semver('1.2.4')",
        "refused: found no matching overload for '_<_' applied to '(kubernetes.Semver, kubernetes.Semver)'",
        0,
      ],
      [
        "semver('1.2.3').isLessThan('1.2.4')",
        "refused: found no matching overload for 'isLessThan' applied to 'kubernetes.Semver.(string)'",
        0,
      ],
    ],
    environment,
  )
})

describe("faults are found from left to right, as 64 bits hold the numbers", () => {
  itComesTo(
    [
      ["semver('99999999999999999999.0.0')", 'fails: strconv.ParseUint: parsing "99999999999999999999": value out of range', 3],
      ["semver('18446744073709551615.0.0').major()", "-1", 4],
      ["isSemver('1.2.3-99999999999999999999')", "false", 3],
      ["semver('.2.3')", 'fails: strconv.ParseUint: parsing "": invalid syntax', 1],
      ["semver('1..3')", 'fails: strconv.ParseUint: parsing "": invalid syntax', 1],
      ["semver('1.2.')", 'fails: strconv.ParseUint: parsing "": invalid syntax', 1],
      ["semver('1-a.2.3')", 'fails: Invalid character(s) found in major number "1-a"', 1],
      ["semver('1.2-a.3')", 'fails: Invalid character(s) found in minor number "2-a"', 1],
      ["semver('1+a.2.3')", 'fails: Invalid character(s) found in major number "1+a"', 1],
      ["semver('1.2.x-01')", 'fails: Invalid character(s) found in patch number "x"', 1],
      ["semver('1.2.3-a+b-c')", "kubernetes.Semver", 2],
      ["semver('1.2.3+b-c')", "kubernetes.Semver", 1],
    ],
    environment,
  )
})
