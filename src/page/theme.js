// Light or dark: as the system says, until the user says otherwise.

export function theme(button, kept) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  const known = kept.get("theme");
  if (known) document.documentElement.dataset.theme = known;
  button.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    kept.set("theme", chosen);
    label();
  });
  system.addEventListener("change", label);
  label();
}
