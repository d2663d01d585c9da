export const firstNames: readonly string[] = (
  'Aaliyah Adaeze Ahmed Alejandra Amara Amir Ana Andre Anh Anika Antonio Aoife Arjun Asha Ava Beatriz Ben Brianna Camila Carlos ' +
  'Chen Chidi Chloe Claire Daniel Darius Deepa Denise Diego Dmitri Elena Eli Emeka Emma Esther Ethan Fatima Felix Gabriela Grace ' +
  'Hana Hassan Hector Imani Ingrid Isaac Jamal Jasmine Javier Jin Joanna José Juan Kaito Karen Keisha Kenji Kwame Lakshmi Latoya ' +
  'Leila Leo Liam Linh Lucia Luis Malik Mara Marcus Margaret Maria Mei Miguel Mina Mohammed Naomi Nia Nikolai Noor Nuria Olga Omar ' +
  'Patrick Priya Quinn Rachel Ravi Rebecca Renée Rosa Ruth Samir Sandra Sofia Soo-jin Tamara Tariq Thomas Tiana Tomás Uma Valeria ' +
  'Victor Wei Xiomara Yara Yusuf Zainab Zoe'
).split(' ')

export const lastNames: readonly string[] = (
  'Abdi Acosta Adeyemi Ahmadi Allen Alvarez Anderson Baker Banerjee Begay Bell Bennett Brooks Brown Campbell Carter Castillo Chan ' +
  'Chavez Cohen Coleman Cruz Das Davis Delgado Diaz Dubois Edwards Ellis Evans Fernández Flores Foster Garcia Gomez Gonzalez Goldberg ' +
  'Gray Greene Gupta Hall Harris Hernandez Hoang Howard Hughes Ibrahim Jackson James Jefferson Jenkins Johnson Jones Joseph Kaur ' +
  'Kelly Khan Kim King Kowalski Kumar Lee Lewis Lin Lopez Martin Martinez Mendoza Miller Mitchell Moore Morales Morgan Murphy ' +
  "Nakamura Nguyen Novak O'Brien Okafor Ortiz Osei Park Patel Perez Pham Phillips Powell Ramirez Rao Reed Reyes Rivera Roberts " +
  'Robinson Rodriguez Rogers Romero Ross Ruiz Russo Sanchez Santos Schmidt Scott Sharma Silva Simmons Singh Smith Stewart Suárez ' +
  'Taylor Thomas Thompson Torres Tran Turner Walker Wang Washington Watson White Williams Wilson Wong Wright Yang Young Zhang Zielinski'
).split(' ')
