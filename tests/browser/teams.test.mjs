// Teams of an office: tried, checked beside their lines, applied, gone back to, taken away.

import assert from "node:assert/strict";

import { until } from "./lib/browser.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";

const open = async (page, mock) => {
  await page.goto(`${mock.url}/#/words`);
  await page.getByRole("button", { name: "Teams" }).click();
  await page.locator("[data-team=claims]").waitFor();
};
const ROADS = 'id = "roads"\nname = "Roads"\npurpose = ""\nautonomy = 2\n';

consoleSuite("teams", (test) => {
  test("are made from a text that is checked and tried before it is applied", {}, async ({ page, mock }) => {
    await open(page, mock);
    await page.getByLabel("The caller tells").fill("a hole in the road");
    await page.getByRole("button", { name: "Who takes it?" }).click();
    await page.getByText("Claims Team, 97 % sure").waitFor();
    await page.getByRole("button", { name: "Add a team" }).click();
    const text = page.getByLabel("TOML");
    await text.fill(ROADS);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("One thing is wrong:").waitFor();
    await page.getByText('3: purpose = ""').waitFor();
    assert.equal(await page.getByRole("button", { name: "Apply" }).count(), 0, "nothing that is wrong can be applied");
    await text.fill(ROADS.replace('purpose = ""', 'purpose = "Potholes."'));
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("the team is new").waitFor();
    await page.getByLabel("The caller tells").fill("a hole in the road");
    await page.getByRole("button", { name: "Who takes it?" }).click();
    await page.getByText("Roads, 97 % sure").waitFor();
    await page.getByText("the road is full of holes").waitFor();
    assert.equal(mock.teams.has("roads"), false, "trying keeps nothing");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator("[data-team=roads]").getByText("This office’s own").waitFor();
  });

  test("are changed, gone back to, and come back as they ship", {}, async ({ page, mock }) => {
    await open(page, mock);
    for (const name of ["Damage Desk", "Damage Team"]) {
      await page.locator("[data-team=claims]").getByRole("button", { name: /^Open/ }).click();
      const text = page.getByLabel("TOML");
      await text.fill((await text.inputValue()).replace(/name = ".*"/, `name = "${name}"`));
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByText(`becomes "${name}"`).last().waitFor();
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByRole("button", { name: `Open ${name}` }).waitFor();
    }
    await page.getByRole("button", { name: "Open Damage Team" }).click();
    await page.getByRole("button", { name: "Go back to version 1" }).click();
    await page.getByRole("button", { name: "Open Damage Desk" }).click();
    await page.locator("[data-version='3']").getByText("goes back to version 1").waitFor();
    await page.getByRole("button", { name: "Take this text away" }).click();
    await page.getByRole("dialog", { name: "Take this text away?" }).getByRole("button", { name: "Take away" }).click();
    await page.locator("[data-team=claims]").getByText("As it ships").waitFor();
    await until("the shipped text", async () => mock.teams.get("claims").own === null);
  });

  test("say so where somebody else was quicker", {}, async ({ page, mock }) => {
    await open(page, mock);
    await page.getByRole("button", { name: "Open Claims Team" }).click();
    const text = page.getByLabel("TOML");
    await text.fill((await text.inputValue()).replace("Claims Team", "Damage Desk"));
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Apply" }).waitFor();
    mock.teams.get("claims").versions.push({});
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("alert").getByText("It was changed meanwhile.").waitFor();
    assert.match(await text.inputValue(), /Damage Desk/, "what was written stays");
  });

  everyLook(test, "are accessible and fit", {}, async ({ page, mock, look }) => {
    await open(page, mock);
    await look("teams");
    await page.getByRole("button", { name: "Open Claims Team" }).click();
    await page.getByLabel("TOML").fill(ROADS);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("One thing is wrong:").waitFor();
    await look("team");
  });
});
