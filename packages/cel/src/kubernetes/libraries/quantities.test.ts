import { describe } from "vitest"
import { itComesTo } from "../../testing/expression-table.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"

const environment = kubernetesEnvironment()

describe("texts that are quantities", () => {
  itComesTo(
    [
      ["isQuantity('100')", "true", 1],
      ["isQuantity('1.5Gi')", "true", 1],
      ["isQuantity('-20m')", "true", 1],
      ["isQuantity('+3')", "true", 1],
      ["isQuantity('.5')", "true", 1],
      ["isQuantity('1e3')", "true", 1],
      ["isQuantity('1E-2')", "true", 1],
      ["isQuantity('12E')", "true", 1],
      ["isQuantity('0')", "true", 1],
      ["isQuantity('')", "false", 0],
      ["isQuantity('Gi')", "true", 1],
      ["isQuantity('1gi')", "false", 1],
      ["isQuantity('1KB')", "false", 1],
      ["isQuantity('0x10')", "false", 1],
      ["isQuantity(' 1')", "false", 1],
      ["isQuantity('1,5')", "false", 1],
      ["quantity('abc')", "fails: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'", 1],
      ["quantity('1.2.3')", "fails: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'", 1],
      ["type(quantity('1')) == kubernetes.Quantity", "refused: undeclared reference to 'kubernetes' (in container '')", 0],
    ],
    environment,
  )
})

describe("equality and order", () => {
  itComesTo(
    [
      ["quantity('1Ki') == quantity('1024')", "true", 3],
      ["quantity('1k') == quantity('1000')", "true", 3],
      ["quantity('0.001') == quantity('1m')", "true", 3],
      ["quantity('1') == quantity('1000m')", "true", 3],
      ["quantity('1M') == quantity('1Mi')", "false", 3],
      ["quantity('-1') == quantity('1')", "false", 3],
      ["quantity('1') != quantity('2')", "true", 3],
      ["quantity('1Gi').isGreaterThan(quantity('1G'))", "true", 3],
      ["quantity('1G').isGreaterThan(quantity('1Gi'))", "false", 3],
      ["quantity('5').isGreaterThan(quantity('5'))", "false", 3],
      ["quantity('-5').isLessThan(quantity('0'))", "true", 3],
      ["quantity('1m').isLessThan(quantity('1u'))", "false", 3],
      ["quantity('3').isLessThan(quantity('3'))", "false", 3],
      ["quantity('2k').compareTo(quantity('2000'))", "0", 3],
      ["quantity('2k').compareTo(quantity('2001'))", "-1", 3],
      ["quantity('2k').compareTo(quantity('1Ki'))", "1", 3],
      ["sign(quantity('7'))", "1", 2],
      ["sign(quantity('-7m'))", "-1", 2],
      ["sign(quantity('0'))", "0", 2],
      ["quantity('7').sign()", "refused: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'", 0],
      [
        "quantity('1') < quantity('2')",
        "refused: found no matching overload for '_<_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
        0,
      ],
    ],
    environment,
  )
})

describe("sums and numbers", () => {
  itComesTo(
    [
      ["quantity('1Ki').add(quantity('1k')) == quantity('2024')", "true", 5],
      ["quantity('100m').add(quantity('900m')) == quantity('1')", "true", 5],
      ["quantity('5').add(-7) == quantity('-2')", "true", 4],
      ["quantity('5').add(20).compareTo(quantity('25'))", "0", 4],
      ["quantity('5').sub(quantity('7')).sign()", "refused: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'", 0],
      ["quantity('5').sub(5) == quantity('0')", "true", 4],
      ["quantity('0') == quantity('5').sub(5)", "fails: no such overload", 4],
      ["quantity('1').add('1')", "refused: found no matching overload for 'add' applied to 'kubernetes.Quantity.(string)'", 0],
      ["quantity('50k').asInteger()", "50000", 2],
      ["quantity('-3').asInteger()", "-3", 2],
      ["quantity('1.5').asInteger()", "fails: cannot convert value to integer", 2],
      ["quantity('9223372036854775807').asInteger()", "fails: cannot convert value to integer", 3],
      ["quantity('9223372036854775808').asInteger()", "fails: cannot convert value to integer", 3],
      ["quantity('50k').isInteger()", "true", 2],
      ["quantity('50m').isInteger()", "false", 2],
      ["quantity('1.0').isInteger()", "false", 2],
      ["quantity('9999999999999999999999').isInteger()", "false", 4],
      ["quantity('1500m').asApproximateFloat()", "double 1.5", 2],
      ["quantity('50k').asApproximateFloat()", "double 50000", 2],
      ["quantity('-0.25').asApproximateFloat()", "double -0.25", 2],
      ["quantity('9999999999999999999999').asApproximateFloat()", "double 1e+22", 4],
      ["quantity(10)", "refused: found no matching overload for 'quantity' applied to '(int)'", 0],
      ["isQuantity(10)", "refused: found no matching overload for 'isQuantity' applied to '(int)'", 0],
    ],
    environment,
  )
})
